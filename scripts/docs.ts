/**
 * Code and output in the Markdown come from files that run. A marker stands above each generated block:
 * `<!-- code: examples/x/main.ts -->`, `<!-- code: examples/x/main.ts#region -->`,
 * `<!-- output: examples/x/main.ts -->` or, for some of its lines, `<!-- output: examples/x/main.ts 1-3 -->`.
 *
 * `<!-- run: toolfold inspect examples/x/registry.ts -->` inserts the command line after a `$`, and its standard output.
 * `sh` runs it in the repository with the built command (`npm run build`), so quotes, pipes and `2>&1` work as in a
 * terminal. It must exit with 0, or with the code that a comment at its end names:
 * `<!-- run: toolfold call … # ends with 3 -->`.
 *
 * `<!-- npm run walk -->` inserts the walk of a 2026 request and the totals. Only `npm run docs` fills it, and no test
 * compares it, because a timer can change the counts by one or two from run to run.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const outputs = new Map<string, string>();

/** The Markdown files that people read, relative to the repository. */
export function markdownFiles(): string[] {
  const top = readdirSync(root).filter((file) => file.endsWith('.md'));
  const docs = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' });
  const packages = readdirSync(new URL('packages/', root)).map((name) => `packages/${name}/README.md`);
  const others = ['bench/README.md', 'examples/showcase/README.md', 'test/data/README.md', ...packages];
  return [
    ...top,
    ...docs.filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`),
    ...others,
  ].toSorted();
}

/** Runs an example and returns its output. Throws if the example fails. */
export function outputOf(example: string): string {
  let output = outputs.get(example);
  if (output === undefined) {
    output = execFileSync(process.execPath, ['--import', 'tsx', example], {
      cwd: root,
      encoding: 'utf8',
      // execFileSync blocks the test, so the test's own time limit cannot stop it.
      timeout: 110_000,
    }).trimEnd();
    outputs.set(example, output);
  }
  return output;
}

/** Runs a command line and returns its output. Throws if it exits with another code than expected. */
export function outputOfCommand(line: string): string {
  let output = outputs.get(line);
  if (output === undefined) {
    if (!line.startsWith('toolfold ')) throw new Error(`Only toolfold can be run, not: ${line}`);
    const expected = Number(/# ends with (\d+)$/.exec(line)?.[1] ?? 0);
    const { status, stdout, stderr } = spawnSync(
      'sh',
      ['-c', `toolfold() { "$NODE" "$MAIN" "$@"; }\n${line}`],
      {
        cwd: root,
        encoding: 'utf8',
        // Without colours, whatever the terminal supports.
        env: { ...process.env, NODE: process.execPath, MAIN: 'packages/cli/dist/main.js', NO_COLOR: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 110_000,
      },
    );
    if (status !== expected) throw new Error(`${line}\nended with ${status}: ${stderr}`);
    output = stdout.trimEnd();
    outputs.set(line, output);
  }
  return output;
}

/** Fills the block below `<!-- npm run walk -->` with the walk of a 2026 request and the totals of both walks. */
export function fillWalk(markdown: string): string {
  const marker = /(<!-- npm run walk -->\n```\n)[\s\S]*?(?=^```$)/m;
  if (!marker.test(markdown)) return markdown;
  // The command exits with 1 if a walk is above its limits. The page shows such a walk too.
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/walk.ts'], {
    cwd: root,
    encoding: 'utf8',
    // It runs the sources of all packages.
    env: { ...process.env, TSX_TSCONFIG_PATH: 'tsconfig.sources.json' },
    timeout: 110_000,
  });
  const [walk = '', ...others] = stdout.trimEnd().split('\n\n');
  const totals = others.at(-1) ?? '';
  return markdown.replace(marker, (_block, head: string) => `${head}${walk}\n\n${totals}\n`);
}

/** Returns a Markdown file with every marked block filled from its example or command. */
export function fillBlocks(markdown: string): string {
  return fillCommands(fillFromFiles(markdown));
}

function fillCommands(markdown: string): string {
  return markdown.replace(
    /(<!-- run: (.+?) -->\n```(?:\w*)\n)(?:(?!```).*\n)*```(?=\n|$)/g,
    (_block, head: string, line: string) =>
      `${head}${[`$ ${line}`, outputOfCommand(line)].join('\n').trimEnd()}\n\`\`\``,
  );
}

function fillFromFiles(markdown: string): string {
  return markdown.replace(
    /(<!-- (code|output): (\S+?)(?:#(\w+))?(?: (\d+)-(\d+))? -->\n```(?:\w*)\n)(?:(?!```).*\n)*```(?=\n|$)/g,
    (_block, head: string, kind: string, file: string, region?: string, from?: string, to?: string) => {
      const text = kind === 'code' ? codeOf(file, region) : outputOf(file);
      const lines = text.split('\n');
      if (Number(to) > lines.length) throw new Error(`${file} has no line ${to}: correct the range`);
      const shown = from === undefined ? lines : lines.slice(Number(from) - 1, Number(to));
      return `${head}${shown.join('\n')}\n\`\`\``;
    },
  );
}

function codeOf(file: string, region: string | undefined): string {
  const source = readFileSync(new URL(file, root), 'utf8').trimEnd();
  if (region === undefined) return source.replace(/^\/\/ #(?:end)?region.*\n/gm, '');
  const match = new RegExp(`// #region ${region}\\n([\\s\\S]*?)\\n// #endregion`).exec(source);
  if (!match?.[1]) throw new Error(`${file} has no region "${region}"`);
  return match[1];
}
