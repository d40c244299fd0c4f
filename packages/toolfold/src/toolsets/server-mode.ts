import { assertOptions, isJsonObject, record, text } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import { ErrInvalidOptions, ErrInvalidSessionContext } from '@toolfold/schema/errors';
import { assertToolset } from './tool-set-catalog.js';
import type { ToolSetCatalog } from './tool-set-catalog.js';
import type { ContextValues } from '../callers/session-context.js';
import type { ModuleLoader } from './module-loader.js';
import type { CompleteToolsetConfig } from './toolset-config.js';

/** How clients get tools: by discovery, from chosen toolsets, or all at once. */
export type ServerMode = (typeof serverModes)[number];

export const serverModes = ['DYNAMIC_TOOL_DISCOVERY', 'STATIC_TOOL_SETS', 'ALL_TOOLS'] as const;

/** The mode settings of a session, under the names of the environment variables. */
export type SessionConfig = Readonly<Record<string, unknown>>;

/** A mode and its toolsets. */
export interface ModeChoice {
  /** Decides which tools a session starts with. */
  readonly mode: ServerMode;
  /** The toolsets that `STATIC_TOOL_SETS` enables. Empty in the other modes. */
  readonly toolsets: readonly string[];
}

/** Options of a `ServerModeEnforcer`. */
export interface ServerModeOptions<App = unknown> {
  /** All toolsets. */
  readonly catalog: ToolSetCatalog<App>;
  /** The loaders of the modules that the catalog names. Default: none. */
  readonly moduleLoaders?: Readonly<Record<string, ModuleLoader<App>>>;
  /** The context field with the credential of a session. Default: `accessToken`. */
  readonly credentialKey?: string;
  /** The command-line arguments, without program and script. Default: none. */
  readonly argv?: readonly string[];
  /**
   * The environment variables `DYNAMIC_TOOL_DISCOVERY`, `STATIC_TOOL_SETS`, `TOOL_SETS` and `ALL_TOOLS`. They are read
   * from this object only, never from the process. Default: none.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const rules: Rules<keyof ServerModeOptions> = {
  catalog: record('an object of toolsets'),
  moduleLoaders: record('an object of functions'),
  credentialKey: text,
  argv: [Array.isArray, 'a list of arguments'],
  // The environment of a process is no plain object. Only four names of it are read.
  env: [(value) => isJsonObject(value) && !(value instanceof Map), 'an object of environment variables'],
};

const yes: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'y', 'on', 'enabled']);
const no: ReadonlySet<string> = new Set(['0', 'false', 'no', 'n', 'off', 'disabled']);
const names: Readonly<Record<ServerMode, readonly string[]>> = {
  DYNAMIC_TOOL_DISCOVERY: ['DYNAMIC_TOOL_DISCOVERY'],
  STATIC_TOOL_SETS: ['STATIC_TOOL_SETS', 'TOOL_SETS', 'TOOLSETS'],
  ALL_TOOLS: ['ALL_TOOLS'],
};

/** Reads the setting of a mode from one source; `undefined` if the source does not set it. */
type ReadMode = (mode: ServerMode) => string | undefined;
type ModeSource = readonly [name: string, read: ReadMode];

/** Chooses the mode. The command line overrides the environment, and the environment overrides the session. */
export class ServerModeEnforcer<App = unknown> {
  readonly catalog: ToolSetCatalog<App>;
  readonly moduleLoaders: Readonly<Record<string, ModuleLoader<App>>>;
  readonly credentialKey: string;
  readonly #toolsets: readonly string[];
  readonly #operator: readonly ModeSource[];
  readonly #byOperator: ModeChoice | undefined;

  /** Throws if a named toolset does not exist. */
  constructor(options: ServerModeOptions<App>) {
    assertOptions('ServerModeEnforcer', options, rules, { required: ['catalog'] });
    const { catalog, moduleLoaders = {}, credentialKey = 'accessToken', argv = [], env = {} } = options;
    this.catalog = catalog;
    this.moduleLoaders = moduleLoaders;
    this.credentialKey = credentialKey;
    this.#toolsets = Object.keys(catalog);
    this.#operator = [
      ['the command line', readArguments(argv)],
      ['the environment', readNames((name) => env[name])],
    ];
    this.#byOperator = this.#choose(this.#operator);
  }

  /** The mode that the command line or the environment sets. Sessions cannot change it. */
  get serverModeOverride(): ServerMode | undefined {
    return this.#byOperator?.mode;
  }

  /** The toolsets that the command line or the environment names. */
  get toolSets(): readonly string[] {
    return this.#byOperator?.toolsets ?? [];
  }

  /** The mode of a session: the operator's, otherwise the session's, otherwise `DYNAMIC_TOOL_DISCOVERY`. */
  resolve(session: SessionConfig = {}): ModeChoice {
    if (this.#byOperator) return this.#byOperator;
    const read = readNames((name) => {
      const value = Object.hasOwn(session, name) ? session[name] : undefined;
      if (value === undefined || value === null) return undefined;
      return Array.isArray(value) ? value.join(',') : String(value);
    });
    const chosen = this.#choose([...this.#operator, [SESSION, read]]);
    return chosen ?? { mode: 'DYNAMIC_TOOL_DISCOVERY', toolsets: [] };
  }

  /** The first source that turns a mode on decides, unless an earlier source has turned that mode off. */
  #choose(sources: readonly ModeSource[]): ModeChoice | undefined {
    const turnedOff = new Set<ServerMode>();
    for (const [name, read] of sources) {
      for (const mode of serverModes) {
        const value = read(mode);
        if (value === undefined || turnedOff.has(mode)) continue;
        const toolsets = mode === 'STATIC_TOOL_SETS' ? this.#readToolsets(value, name) : [];
        if (mode === 'STATIC_TOOL_SETS' || isSet(value, mode, name)) return { mode, toolsets };
        turnedOff.add(mode);
      }
    }
    return undefined;
  }

  #readToolsets(list: string, where: string): readonly string[] {
    const toolsets = [...new Set(list.split(',').map((item) => item.trim()))].filter((item) => item !== '');
    if (toolsets.length === 0) throw wrong(`STATIC_TOOL_SETS in ${where} names no toolset.`, where);
    for (const toolset of toolsets) assertToolset(toolset, this.#toolsets, where);
    return toolsets;
  }
}

const SESSION = 'the session';

function isSet(value: string, name: string, where: string): boolean {
  const word = value.trim().toLowerCase();
  if (yes.has(word)) return true;
  if (no.has(word)) return false;
  throw wrong(`${name} in ${where} is "${value.slice(0, 80)}".`, where, 'Use true or false.');
}

/** The error of an invalid setting. A mistake of a session is reported to its client. */
function wrong(what: string, where: string, hint?: string): Error {
  const options = hint === undefined ? {} : { hint };
  return where === SESSION
    ? new ErrInvalidSessionContext(what, options)
    : new ErrInvalidOptions(what, options);
}

/** Reads a mode under any of its names. An empty value such as `ALL_TOOLS=` counts as not set. */
function readNames(read: (name: string) => string | undefined): ReadMode {
  return (mode) => names[mode].map(read).find((value) => value !== undefined && value.trim() !== '');
}

/** Reads flags such as `--dynamic-tool-discovery`, `--tool-sets=a,b` and `--tool-sets a,b`, in any casing. */
function readArguments(argv: readonly string[]): ReadMode {
  const given = new Map<ServerMode, string>();
  for (const [index, argument] of argv.entries()) {
    if (argument === '--') break;
    const [, flag, value] = /^--([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(argument) ?? [];
    const wanted = flag?.replaceAll(/[-_]/g, '').toUpperCase();
    const mode = serverModes.find((each) => names[each].some((name) => name.replaceAll('_', '') === wanted));
    if (mode === undefined) continue;
    const next = argv[index + 1] ?? '';
    const word = next.trim().toLowerCase();
    // The argument after a boolean flag belongs to the flag only if it is a boolean.
    const isNext = mode === 'STATIC_TOOL_SETS' ? !next.startsWith('-') : yes.has(word) || no.has(word);
    given.set(mode, value ?? (isNext ? next : mode === 'STATIC_TOOL_SETS' ? '' : 'true'));
  }
  return (mode) => given.get(mode);
}

/** Creates the toolset configuration of a mode. */
export const ModeConfigMapper = Object.freeze({
  /** Creates the configuration. The mode that the operator set in `enforcer` overrides `asked`. */
  toToolsetConfig<App>(
    asked: ServerMode,
    sessionConfig: SessionConfig,
    enforcer: ServerModeEnforcer<App>,
    accessToken?: string,
    moduleLoaders: Readonly<Record<string, ModuleLoader<App>>> = enforcer.moduleLoaders,
  ): CompleteToolsetConfig<App> {
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
      startup:
        mode === 'DYNAMIC_TOOL_DISCOVERY'
          ? { mode: 'DYNAMIC' }
          : { mode: 'STATIC', toolsets: mode === 'ALL_TOOLS' ? 'ALL' : (toolsets ?? []) },
      context: accessToken === undefined ? {} : { accessToken },
      sessionContext: {
        enabled: true,
        queryParam: { name: 'config', encoding: 'base64', allowedKeys },
        header: { name: 'mcp-session-config', encoding: 'base64', allowedKeys },
        credentialKeys: allowedKeys,
        merge: 'shallow',
        // Replace the server's token too, so that a loader that reads `accessToken` does not use it for the session.
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
