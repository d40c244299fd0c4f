import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import type { Profiler } from 'node:inspector';
import { packageFolders } from '../packages.js';

/** A source file that ran. */
export interface CrossedFile {
  /** Path from the root of the repository. */
  readonly file: string;
  /** In the order of the source. */
  readonly functions: readonly CrossedFunction[];
}

export interface CrossedFunction {
  readonly name: string;
  readonly calls: number;
}

const root = new URL('../../', import.meta.url).href;

/** Counts the functions of `packages/` that run, by V8's precise coverage of this process. */
export class Coverage {
  readonly #session = new Session();

  static async start(): Promise<Coverage> {
    const coverage = new Coverage();
    coverage.#session.connect();
    await coverage.#session.post('Debugger.enable');
    await coverage.#session.post('Profiler.enable');
    await coverage.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return coverage;
  }

  /** Returns the functions that ran since the last call of this method. */
  async take(): Promise<CrossedFile[]> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    const files: CrossedFile[] = [];
    for (const { url, scriptId, functions } of result) {
      if (!url.startsWith(`${root}packages/`) || !functions.some(isCrossed)) continue;
      const { scriptSource } = await this.#session.post('Debugger.getScriptSource', { scriptId });
      files.push({
        file: url.slice(root.length).replace(/\?.*$/, ''),
        functions: crossedIn(functions, scriptSource),
      });
    }
    return files.toSorted(byFloor);
  }

  stop(): void {
    this.#session.disconnect();
  }
}

type Counted = Profiler.FunctionCoverage;

const callsOf = ({ ranges }: Counted): number => ranges[0]?.count ?? 0;
const startOf = ({ ranges }: Counted): number => ranges[0]?.startOffset ?? 0;
const endOf = ({ ranges }: Counted): number => ranges[0]?.endOffset ?? 0;

/** A reader enters neither the body of a module, nor the fields of a class beside its constructor, nor the helper of tsx. */
function isCrossed(each: Counted): boolean {
  const { functionName: name } = each;
  const isModule = name === '' && startOf(each) === 0;
  return callsOf(each) > 0 && !isModule && name !== '<instance_members_initializer>' && name !== '__name';
}

function crossedIn(functions: readonly Counted[], code: string): CrossedFunction[] {
  return functions
    .filter(isCrossed)
    .toSorted((first, second) => startOf(first) - startOf(second))
    .map((each) => ({ name: nameOf(each, functions, code), calls: callsOf(each) }));
}

/** An anonymous function is named after the function that contains it. */
function nameOf(each: Counted, all: readonly Counted[], code: string): string {
  const own = ownNameOf(each, code);
  if (own !== '') return own;
  const [outer] = all
    .filter(
      (other) =>
        ownNameOf(other, code) !== '' && startOf(other) < startOf(each) && endOf(other) >= endOf(each),
    )
    .toSorted((first, second) => startOf(second) - startOf(first));
  // V8 leaves out a function that has returned for good, such as one that made this callback at start-up.
  const before = code.slice(0, startOf(each)).matchAll(/\bfunction (\w+)\(/g);
  const name = outer ? ownNameOf(outer, code) : [...before].at(-1)?.[1];
  return name === undefined ? 'callback' : `${name} » callback`;
}

/** tsx compiles `const name = () => …` to `__name(() => …, "name")`, which V8 takes for an anonymous function. */
function ownNameOf(each: Counted, code: string): string {
  if (each.functionName !== '') return each.functionName.replace('<instance_members_initializer>', 'fields');
  return /^,"([^"]+)"\)/.exec(code.slice(endOf(each), endOf(each) + 100))?.[1] ?? '';
}

/** The folders of the framework from the ground up, as `docs/architecture.md` lists them. */
const floors = [
  ...readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8').matchAll(
    /^\| `([^`/@]+)\/?` \|/gm,
  ),
].map(([, name]) => name);

/** From the top floor down, which is about the order in which a call crosses them. */
function byFloor(first: CrossedFile, second: CrossedFile): number {
  const packageOf = ({ file }: CrossedFile): number =>
    packageFolders.findIndex((name) => name === file.split('/')[1]);
  const floorOf = ({ file }: CrossedFile): number => floors.indexOf(file.split('/')[3] ?? '');
  const folderOf = ({ file }: CrossedFile): string => file.slice(0, file.lastIndexOf('/'));
  return (
    packageOf(second) - packageOf(first) ||
    floorOf(second) - floorOf(first) ||
    compare(folderOf(first), folderOf(second)) ||
    compare(first.file, second.file)
  );
}

const compare = (first: string, second: string): number => (first < second ? -1 : first > second ? 1 : 0);
