/** The names that the migration guides mention exist in this package. */
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
const declarations = readdirSync(new URL('packages/', root), { recursive: true, encoding: 'utf8' })
  .filter((file) => /^[a-z]+\/dist\/.*\.d\.ts$/.test(file))
  .map((file) => ({ file, text: read(`packages/${file}`) }));
/** Declarations of the entry points that authors import from. */
const exported = declarations
  .filter(({ file }) => /^[a-z]+\/dist\/[a-z]+\.d\.ts$/.test(file) && !file.endsWith('/internal.d.ts'))
  .map(({ text }) => text)
  .join('\n');

function isExported(name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(exported);
}

/** Whether an interface or a class of that name declares the member. */
function hasMember(name: string, member: string): boolean {
  const declaration = new RegExp(`(?:interface|class) ${name}\\b[^{]*\\{([\\s\\S]*?)\\n\\}`, 'g');
  const blocks = declarations.flatMap(({ text }) => [...text.matchAll(declaration)]);
  return blocks.some(([, body = '']) =>
    new RegExp(`^ {4}(?:readonly |get )?${member}[(<?:]`, 'm').test(body),
  );
}

describe.each([
  ['docs/guides/from-fusion.md', 42],
  ['docs/guides/from-toolception.md', 25],
])('%s', (file, count) => {
  const [, table = ''] = read(file).split('## Names');
  const names = [...(table.split('\n## ')[0] ?? '').matchAll(/^\| (.*?) \| (.*?) \| .*\|$/gm)].flatMap(
    ([, , ours = '']) => [...ours.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );

  it('maps to the expected number of names', () => {
    expect(names).toHaveLength(count);
  });

  it.each(names)('names %s, which exists', (name) => {
    const [, owner = '', member] = /^(\w+)(?:\.(\w+)(?:\(\))?)?$/.exec(name) ?? [];
    expect(isExported(owner)).toBe(true);
    if (member !== undefined) expect(hasMember(owner, member), `${owner} has ${member}`).toBe(true);
  });

  it('would detect a name that does not exist', () => {
    expect(isExported('GroupedToolBuilders')).toBe(false);
    expect(hasMember('ToolRegistry', 'getAllTools')).toBe(false);
  });
});

describe('the differences in docs/guides/from-toolception.md', () => {
  const [, table = ''] = read('docs/guides/from-toolception.md').split('## What behaves differently');
  const titles = [...table.matchAll(/^\| .* \| "(.*)" \|$/gm)].map(([, title = '']) => title);
  const tests = read('test/wire/toolset-mistakes.test.ts');

  it.each(titles)('are shown by a test: %s', (title) => {
    expect(tests).toContain(`('${title}'`);
  });

  it('are 13', () => {
    expect(titles).toHaveLength(13);
  });
});
