import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** The programs in a folder of the repository, without those of installed packages. */
function programsIn(folder: string): string[] {
  return readdirSync(new URL(folder, root), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : programsIn(path);
    return /\.(?:ts|mjs)$/.test(path) ? [path] : [];
  });
}

/** Syntax and programs that `sh` has and `cmd.exe`, which runs npm scripts on Windows, does not have. */
const posixOnly: Readonly<Record<string, RegExp>> = {
  'a quotation mark other than "': /['`]/,
  'a variable': /\$/,
  'a variable before a command': /(?:^|&& )\w+=/,
  'a redirection': /[<>]/,
  'a list of commands other than &&': /;|\|\||\||(?<!&)&(?!&)/,
  'a path to a program': /(?:^|&& )\.{0,2}\//,
  'a built-in of sh, or a program of Unix':
    /(?:^|&& )(?:cat|chmod|cp|echo|exec|export|find|grep|ln|ls|mkdir|mv|rm|sed|sh|source|test|touch|true)\b/,
};

const problemsOf = (line: string): string[] =>
  Object.keys(posixOnly).filter((what) => posixOnly[what]?.test(line));

describe('the npm scripts', () => {
  it.each(Object.entries(scripts))('run %s on Windows too', (_, line) => {
    expect(problemsOf(line)).toEqual([]);
  });

  it.each([
    ['npm run build 1>&2', 2],
    ['npm run build && exec tsx a.ts', 1],
    ['NODE_ENV=test vitest', 1],
    ["vitest 'src/**'", 1],
    ['rm -rf dist && ./build', 2],
    ['tsc; vitest', 1],
    ['npm run build && tsx a.ts --port 80', 0],
  ])('are checked, so that %s has %i problems', (line, count) => {
    expect(problemsOf(line)).toHaveLength(count);
  });

  it('start npm through scripts/run-npm.ts, because Windows cannot start it without a shell', () => {
    const spawning = ['scripts', 'bench', 'test', 'examples']
      .flatMap(programsIn)
      .filter((file) => /(?:(?:spawn|spawnSync|execFile|execFileSync)\(\s*|file: )'np[mx]'/.test(read(file)));
    expect(spawning).toEqual(['scripts/run-npm.ts']);
  });

  it('turn addresses of files into paths with fileURLToPath, because the pathname begins with a slash on Windows', () => {
    const wrong = ['scripts', 'bench']
      .flatMap(programsIn)
      .filter((file) => /import\.meta\.url\)?\.pathname/.test(read(file)));
    expect(wrong).toEqual([]);
  });
});
