import { ErrInvalidOptions, ErrInvalidSessionContext } from '../errors.js';
import { assertToolset } from './tool-set-catalog.js';
import type { ToolSetCatalog } from './tool-set-catalog.js';
import type { ContextValues } from '../callers/context-values.js';
import type { ModuleLoader } from './module-loader.js';
import type { CompleteToolsetConfig, ToolsetConfig } from './toolset-config.js';

/** How tools are offered: on request, in chosen toolsets, or all at once. */
export type ServerMode = (typeof serverModes)[number];

export const serverModes = ['DYNAMIC_TOOL_DISCOVERY', 'STATIC_TOOL_SETS', 'ALL_TOOLS'] as const;

/** What a session asks for, in the same words as the environment. */
export type SessionConfig = Readonly<Record<string, unknown>>;

/** A mode, and the toolsets that it is about. */
export interface ModeChoice {
  /** How toolsets come to be active. */
  readonly mode: ServerMode;
  /** The toolsets of `STATIC_TOOL_SETS`. */
  readonly toolsets: readonly string[];
}

/** What a mode is chosen from. */
export interface ServerModeOptions {
  /** All toolsets. */
  readonly catalog: ToolSetCatalog;
  /** The loaders of their modules. */
  readonly moduleLoaders?: Readonly<Record<string, ModuleLoader>>;
  /** The key under which a session brings its own credential. Default: `accessToken`. */
  readonly credentialKey?: string;
  /** The command line, without program and script. */
  readonly argv?: readonly string[];
  /**
   * The environment: `DYNAMIC_TOOL_DISCOVERY`, `STATIC_TOOL_SETS`, `TOOL_SETS`, `ALL_TOOLS`. That of the process is
   * read only where it is handed in. Default: empty.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const yes: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'y', 'on', 'enabled']);
const no: ReadonlySet<string> = new Set(['0', 'false', 'no', 'n', 'off', 'disabled']);
/** The modes and the other names that they go by. */
const names: Readonly<Record<ServerMode, readonly string[]>> = {
  DYNAMIC_TOOL_DISCOVERY: ['DYNAMIC_TOOL_DISCOVERY'],
  STATIC_TOOL_SETS: ['STATIC_TOOL_SETS', 'TOOL_SETS', 'TOOLSETS'],
  ALL_TOOLS: ['ALL_TOOLS'],
};

/** What one place says of a mode; nothing where it leaves that to the next. */
type Said = (mode: ServerMode) => string | undefined;

interface Place {
  readonly name: string;
  readonly said: Said;
}

/** Decides on a mode: the command line over the environment over the session. */
export class ServerModeEnforcer {
  readonly catalog: ToolSetCatalog;
  readonly moduleLoaders: Readonly<Record<string, ModuleLoader>>;
  readonly credentialKey: string;
  readonly #toolsets: readonly string[];
  readonly #operator: readonly Place[];
  readonly #byOperator: ModeChoice | undefined;

  /** Throws where a toolset does not exist, and says which do. */
  constructor(options: ServerModeOptions) {
    const { catalog, moduleLoaders = {}, credentialKey = 'accessToken', argv = [], env = {} } = options;
    this.catalog = catalog;
    this.moduleLoaders = moduleLoaders;
    this.credentialKey = credentialKey;
    this.#toolsets = Object.keys(catalog);
    this.#operator = [
      { name: 'the command line', said: readArguments(argv) },
      { name: 'the environment', said: readNames((name) => env[name]) },
    ];
    this.#byOperator = this.#choose(this.#operator);
  }

  /** What the operator has decided, which no session can change. */
  get serverModeOverride(): ServerMode | undefined {
    return this.#byOperator?.mode;
  }

  /** The toolsets that the operator has named; none where all or none are meant. */
  get toolSets(): readonly string[] {
    return this.#byOperator?.toolsets ?? [];
  }

  /** What holds for a session: the operator's word, else its own, else discovery. */
  resolve(session: SessionConfig = {}): ModeChoice {
    if (this.#byOperator) return this.#byOperator;
    const said = readNames((name) => {
      const value = Object.hasOwn(session, name) ? session[name] : undefined;
      if (value === undefined || value === null) return undefined;
      return Array.isArray(value) ? value.join(',') : String(value);
    });
    return (
      this.#choose([...this.#operator, { name: SESSION, said }]) ?? {
        mode: 'DYNAMIC_TOOL_DISCOVERY',
        toolsets: [],
      }
    );
  }

  /** The first place that asks for a mode decides, unless one before it says no to that mode. */
  #choose(places: readonly Place[]): ModeChoice | undefined {
    const refused = new Set<ServerMode>();
    for (const { name, said } of places) {
      for (const mode of serverModes) {
        const value = said(mode);
        if (value === undefined || refused.has(mode)) continue;
        const toolsets = mode === 'STATIC_TOOL_SETS' ? this.#readToolsets(value, name) : [];
        if (mode === 'STATIC_TOOL_SETS' || isSet(value, mode, name)) return { mode, toolsets };
        refused.add(mode);
      }
    }
    return undefined;
  }

  #readToolsets(list: string, where: string): readonly string[] {
    const toolsets = splitList(list);
    if (toolsets.length === 0) throw wrong(`STATIC_TOOL_SETS in ${where} names no toolset.`, where);
    for (const toolset of toolsets) assertToolset(toolset, this.#toolsets, where);
    return toolsets;
  }
}

/** Empty items and spaces are slips that everybody makes. */
function splitList(list: string): string[] {
  return [...new Set(list.split(',').map((item) => item.trim()))].filter((item) => item !== '');
}

const SESSION = 'the session';

function isSet(value: string, name: string, where: string): boolean {
  const word = value.trim().toLowerCase();
  if (yes.has(word)) return true;
  if (no.has(word)) return false;
  throw wrong(`${name} in ${where} is "${value.slice(0, 80)}".`, where, 'Say true or false.');
}

/** What a session says wrong is for its client to correct. */
function wrong(what: string, where: string, hint?: string): Error {
  const options = hint === undefined ? {} : { hint };
  return where === SESSION
    ? new ErrInvalidSessionContext(what, options)
    : new ErrInvalidOptions(what, options);
}

/** What is empty was left empty: `ALL_TOOLS=` in a file of settings says nothing. */
function readNames(read: (name: string) => string | undefined): Said {
  return (mode) => names[mode].map(read).find((value) => value !== undefined && value.trim() !== '');
}

/** `--dynamic-tool-discovery`, `--tool-sets=a,b` and `--tool-sets a,b`, in any casing. */
function readArguments(argv: readonly string[]): Said {
  const given = new Map<ServerMode, string>();
  for (const [index, argument] of argv.entries()) {
    if (argument === '--') break;
    const [, flag, value] = /^--([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(argument) ?? [];
    const mode = flag === undefined ? undefined : serverModes.find((each) => names[each].some(isSame(flag)));
    if (mode === undefined) continue;
    const next = argv[index + 1] ?? '';
    const word = next.trim().toLowerCase();
    // What follows a flag that is true or false may be something else altogether.
    const isNext = mode === 'STATIC_TOOL_SETS' ? !next.startsWith('-') : yes.has(word) || no.has(word);
    given.set(mode, value ?? (isNext ? next : mode === 'STATIC_TOOL_SETS' ? '' : 'true'));
  }
  return (mode) => given.get(mode);
}

const isSame =
  (flag: string) =>
  (name: string): boolean =>
    flag.replaceAll(/[-_]/g, '').toUpperCase() === name.replaceAll('_', '');

/** Turns a mode into a configuration of toolsets. */
export const ModeConfigMapper = Object.freeze({
  /** `enforcer` knows the catalog and what the operator decided, which wins over `mode`. */
  toToolsetConfig(
    asked: ServerMode,
    sessionConfig: SessionConfig,
    enforcer: ServerModeEnforcer,
    accessToken?: string,
    moduleLoaders: Readonly<Record<string, ModuleLoader>> = enforcer.moduleLoaders,
  ): CompleteToolsetConfig {
    if (!serverModes.includes(asked))
      throw new ErrInvalidOptions(`There is no mode "${String(asked)}".`, {
        hint: `Use ${serverModes.join(', ')}.`,
      });
    const mode = enforcer.serverModeOverride ?? asked;
    const toolsets = mode === 'STATIC_TOOL_SETS' ? enforcer.resolve(sessionConfig).toolsets : undefined;
    const { credentialKey } = enforcer;
    const allowedKeys = [credentialKey];
    return {
      catalog: enforcer.catalog,
      moduleLoaders,
      startup: startupOf(mode, toolsets),
      context: accessToken === undefined ? {} : { accessToken },
      sessionContext: {
        enabled: true,
        queryParam: { name: 'config', encoding: 'base64', allowedKeys },
        header: { name: 'mcp-session-config', encoding: 'base64', allowedKeys },
        credentialKeys: allowedKeys,
        merge: 'shallow',
        // A loader that knows nothing of the key must not find the server's token beside the session's.
        contextResolver: (_, context, parsed): ContextValues =>
          Object.hasOwn(parsed, credentialKey) ? { ...context, accessToken: parsed[credentialKey] } : context,
      },
      exposurePolicy: {
        namespaceToolsWithSetKey: false,
        maxActiveToolsets: undefined,
        allowlist: toolsets,
      },
    };
  },
});

function startupOf(mode: ServerMode, toolsets: readonly string[] | undefined): ToolsetConfig['startup'] {
  if (mode === 'DYNAMIC_TOOL_DISCOVERY') return { mode: 'DYNAMIC' };
  return { mode: 'STATIC', toolsets: mode === 'ALL_TOOLS' ? 'ALL' : (toolsets ?? []) };
}
