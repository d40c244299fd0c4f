import { nearestName } from '../compile/nearest-name.js';
import { ErrInvalidModel, ErrUnknownToolset } from '../errors.js';
import type { ModuleLoader } from './module-loader.js';
import type { ToolSetCatalog } from './tool-set-catalog.js';

/** How tools are offered: on request, in chosen toolsets, or all at once. */
export type ServerMode = 'DYNAMIC_TOOL_DISCOVERY' | 'STATIC_TOOL_SETS' | 'ALL_TOOLS';

/** What a session asks for, in the same words as the environment. */
export type SessionConfig = Readonly<Record<string, unknown>>;

export interface ModeChoice {
  readonly mode: ServerMode;
  /** The toolsets of `STATIC_TOOL_SETS`. */
  readonly toolsets: readonly string[];
}

export interface ServerModeOptions {
  /** All toolsets. */
  readonly catalog: ToolSetCatalog;
  /** The loaders of their modules. */
  readonly moduleLoaders?: Readonly<Record<string, ModuleLoader>>;
  /** The key under which a session brings its own credential. Default: `accessToken`. */
  readonly credentialKey?: string;
  /** The command line, without program and script. */
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const yes: ReadonlySet<string> = new Set(['', '1', 'true', 'yes', 'y', 'on', 'enabled']);
const no: ReadonlySet<string> = new Set(['0', 'false', 'no', 'n', 'off', 'disabled']);
const TOOL_SETS = ['STATIC_TOOL_SETS', 'TOOL_SETS', 'TOOLSETS'];

/** Decides on a mode: the command line over the environment over the session. */
export class ServerModeEnforcer {
  readonly catalog: ToolSetCatalog;
  readonly moduleLoaders: Readonly<Record<string, ModuleLoader>>;
  readonly credentialKey: string;
  readonly #toolsets: readonly string[];
  readonly #byOperator: ModeChoice | undefined;

  /** Throws where a toolset does not exist, and says which do. */
  constructor(options: ServerModeOptions) {
    const { catalog, moduleLoaders = {}, credentialKey = 'accessToken', argv = [], env = {} } = options;
    this.catalog = catalog;
    this.moduleLoaders = moduleLoaders;
    this.credentialKey = credentialKey;
    this.#toolsets = Object.keys(catalog);
    this.#byOperator =
      this.#choose(readArguments(argv), 'the command line') ??
      this.#choose((name) => env[name], 'the environment');
  }

  /** What the operator has decided, which no session can change. */
  get serverModeOverride(): ServerMode | undefined {
    return this.#byOperator?.mode;
  }

  get toolSets(): readonly string[] {
    return this.#byOperator?.toolsets ?? [];
  }

  /** What holds for a session: the operator's word, else its own, else discovery. */
  resolve(session: SessionConfig = {}): ModeChoice {
    const asked = (name: string): string | undefined => {
      const value = Object.hasOwn(session, name) ? session[name] : undefined;
      if (value === undefined || value === null) return undefined;
      return Array.isArray(value) ? value.join(',') : String(value);
    };
    return (
      this.#byOperator ??
      this.#choose(asked, 'the session') ?? { mode: 'DYNAMIC_TOOL_DISCOVERY', toolsets: [] }
    );
  }

  #choose(read: (name: string) => string | undefined, where: string): ModeChoice | undefined {
    if (isSet(read('DYNAMIC_TOOL_DISCOVERY'), 'DYNAMIC_TOOL_DISCOVERY', where))
      return { mode: 'DYNAMIC_TOOL_DISCOVERY', toolsets: [] };
    const name = TOOL_SETS.find((each) => read(each) !== undefined);
    const toolsets = name === undefined ? [] : splitList(read(name) ?? '');
    if (toolsets.length > 0) {
      for (const toolset of toolsets) assertToolset(toolset, this.#toolsets, where);
      return { mode: 'STATIC_TOOL_SETS', toolsets };
    }
    if (isSet(read('ALL_TOOLS'), 'ALL_TOOLS', where)) return { mode: 'ALL_TOOLS', toolsets: [] };
    return undefined;
  }
}

/** Throws where there is no such toolset; the message names those that there are. */
export function assertToolset(key: string, known: readonly string[], where: string): void {
  if (known.includes(key)) return;
  const nearest = nearestName(key, known);
  throw new ErrUnknownToolset(
    `Unknown toolset "${key.slice(0, 80)}" in ${where}.${nearest === undefined ? '' : ` Did you mean "${nearest}"?`} Valid: ${known.join(', ')}.`,
    { details: { toolset: key, suggestions: nearest === undefined ? [] : [nearest] } },
  );
}

/** Empty items and spaces are slips that everybody makes. */
export function splitList(list: string): string[] {
  return [...new Set(list.split(',').map((item) => item.trim()))].filter((item) => item !== '');
}

function isSet(value: string | undefined, name: string, where: string): boolean {
  if (value === undefined) return false;
  const word = value.trim().toLowerCase();
  if (yes.has(word)) return true;
  if (no.has(word)) return false;
  throw new ErrInvalidModel(`${name} in ${where} is "${value.slice(0, 80)}".`, {
    hint: 'Say true or false.',
  });
}

/** `--dynamic-tool-discovery`, `--tool-sets=a,b` and `--tool-sets a,b`, by the names of the environment. */
function readArguments(argv: readonly string[]): (name: string) => string | undefined {
  const given = new Map<string, string>();
  for (const [index, argument] of argv.entries()) {
    const [, flag, value] = /^--([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(argument) ?? [];
    if (flag === undefined) continue;
    const next = argv[index + 1];
    const name = flag.replaceAll('-', '_').toUpperCase();
    given.set(name, value ?? (next === undefined || next.startsWith('--') ? '' : next));
  }
  return (name) => given.get(name);
}
