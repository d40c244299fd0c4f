import { parseArgs } from 'node:util';
import { nearestName } from '@toolfold/schema/internal';
import { UsageError } from '@toolfold/analysis/internal';

interface OptionSpec {
  /** Placeholder of the value in the help text. Without it, the option takes no value. */
  readonly value?: string;
  readonly withoutValue?: string;
  readonly isRepeatable?: boolean;
  readonly help: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

export interface ReadArguments {
  /** Values of each given option, in order. An option without a value has an empty text. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
  readonly rest: readonly string[] | undefined;
}

/** Parses the arguments of a command. The error for an unknown option suggests the most similar one. */
export function readArguments(argv: readonly string[], specs: OptionSpecs): ReadArguments {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  const { tokens } = parseArgs({
    args: own.map((argument, index) =>
      argument === '-h' ? '--help' : withDefault(argument, own[index + 1], specs),
    ),
    options: Object.fromEntries(
      Object.entries(specs).map(([name, { value }]) => [
        name,
        { type: value === undefined ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const options = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    if (end === -1 && !Object.hasOwn(specs, token.name) && isRunner(positionals[0]))
      throw new UsageError(
        `Write -- before a command: -- ${argv.slice(argv.indexOf(positionals[0])).join(' ')}`,
      );
    const spec = specOf(token.rawName, token.name, specs);
    const given = options.get(token.name) ?? [];
    if (spec.value === undefined && token.value !== undefined)
      throw new UsageError(`${token.rawName} takes no value.`);
    if (spec.value !== undefined && token.value === undefined)
      throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${spec.value}`);
    if (given.length > 0 && spec.isRepeatable !== true)
      throw new UsageError(`${token.rawName} is given twice.`);
    options.set(token.name, [...given, token.value ?? '']);
  }
  return { options, positionals, rest: end === -1 ? undefined : argv.slice(end + 1) };
}

/** Appends the default value to an option such as `--http`, unless a value follows. Options and URLs do not count as values. */
function withDefault(argument: string, next: string | undefined, specs: OptionSpecs): string {
  const spec = argument.startsWith('--') ? specs[argument.slice(2)] : undefined;
  if (spec?.withoutValue === undefined || (next !== undefined && !/^-|:\/\//.test(next))) return argument;
  return `${argument}=${spec.withoutValue}`;
}

/** Whether a word is a program such as npx, so that the following words are probably a command line. */
export function isRunner(word: string | undefined): word is string {
  return word !== undefined && /^(npx|node|tsx|uvx|uv|bunx|bun|pnpm|yarn|deno|python3?|docker)$/.test(word);
}

function specOf(written: string, name: string, specs: OptionSpecs): OptionSpec {
  if (Object.hasOwn(specs, name)) return specs[name] as OptionSpec;
  const nearest = nearestName(name, Object.keys(specs));
  const hint = nearest === undefined ? 'See --help.' : `Did you mean --${nearest}?`;
  throw new UsageError(`Unknown option ${written}. ${hint}`);
}

/** Splits the values of a repeatable option at commas. Drops spaces and empty items. */
export function readList(values: readonly string[] | undefined): readonly string[] | undefined {
  if (!values) return undefined;
  return values
    .flatMap((value) => value.split(','))
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Reads a port; 0 selects any free port. */
export function readPort(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port < 65_536)) throw new UsageError(`--${option} must be a number from 0 to 65535, not "${text}".`);
  return port;
}

export function describeOptions(specs: OptionSpecs): string {
  const lines = Object.entries(specs).map(([name, { value, withoutValue, help }]) => {
    const shown = withoutValue === undefined ? value : `[${value}]`;
    return [`--${name}${shown === undefined ? '' : ` ${shown}`}`, help] as const;
  });
  const width = Math.max(...lines.map(([left]) => left.length));
  return lines.map(([left, help]) => `  ${left.padEnd(width)}  ${help}`).join('\n');
}
