/** Generates the table of packages in `docs/architecture.md`. */
import { readFileSync, readdirSync } from 'node:fs';
import { packageFolders, readManifest, sourcesOf } from './packages.js';

const root = new URL('../', import.meta.url);
const PAGE = 'packages/devtools/page/src';

/** Fills the table below `<!-- packages -->`. */
export function fillPackages(markdown: string): string {
  return markdown.replace(
    /(<!-- packages -->\n)(?:\|.*\n)*/,
    (_block, marker: string) => `${marker}${renderPackages()}`,
  );
}

function renderPackages(): string {
  const counted = packageFolders.map((folder) => ({ folder, ...count(sourcesOf(folder)) }));
  const rows = counted.map(({ folder, lines, files }) => {
    const { name, description } = readManifest(folder);
    const { siblings, others } = dependenciesOf(folder);
    return [`\`${name}\``, description, number(lines), String(files), siblings, others];
  });
  const rest = counted.filter(({ folder }) => folder !== 'devtools');
  const sum = (key: 'lines' | 'files'): number => rest.reduce((total, each) => total + each[key], 0);
  const page = count(pageSources());
  const table = [
    ['package', 'purpose', 'lines', 'files', 'builds on', 'third-party'],
    ['---', '---', '--:', '--:', '---', '---'],
    ...rows,
    [
      'the page',
      `The application of \`@toolfold/devtools\`, in \`${PAGE}\`, with its styles.`,
      number(page.lines),
      String(page.files),
      '',
      '',
    ],
    [
      'together',
      'Without `@toolfold/devtools` and the page.',
      number(sum('lines')),
      String(sum('files')),
      '',
      '',
    ],
  ];
  return table.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function dependenciesOf(folder: string): { readonly siblings: string; readonly others: string } {
  const { dependencies = {}, peerDependencies = {}, devDependencies = {} } = readManifest(folder);
  const isSibling = (name: string): boolean => name === 'toolfold' || name.startsWith('@toolfold/');
  const siblings = packageFolders
    .map((other) => readManifest(other).name)
    .filter((name) => Object.hasOwn(dependencies, name))
    .map((name) => `\`${name.replace('@toolfold/', '')}\``);
  const others = Object.keys(dependencies).filter((name) => !isSibling(name));
  const peers = Object.keys(peerDependencies).filter((name) => !isSibling(name));
  return {
    siblings: siblings.join(', '),
    others: [
      ...others.map((name) => `\`${name}\``),
      ...peers.map((name) => `\`${name}\` (optional)`),
      // rolldown.config.ts inlines what is a dependency of the build only.
      ...Object.keys(devDependencies).map((name) => `\`${name}\` (inlined)`),
    ].join(', '),
  };
}

function count(files: readonly string[]): { readonly lines: number; readonly files: number } {
  const lines = files.map((file) => readFileSync(new URL(file, root), 'utf8').split('\n').length - 1);
  return { lines: lines.reduce((sum, each) => sum + each, 0), files: files.length };
}

function pageSources(): readonly string[] {
  return readdirSync(new URL(PAGE, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test)\.(?:tsx?|css)$/.test(name))
    .map((name) => `${PAGE}/${name}`);
}

const number = (value: number): string => value.toLocaleString('en-US');
