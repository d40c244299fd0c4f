import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { basesOf } from '../../scripts/docs-api.js';
import { markdownFiles } from '../../scripts/docs.js';
import type { Declaration } from '../../scripts/docs-read-declarations.js';
import { membersOf, notOptions, optionTypes, publicTypes, wordsOf } from './option-types.js';

/** Words in code that lead to a type: its name, the functions and classes that take it, and the fields that hold it. */
function ownersOf(type: Declaration, seen = new Set([type])): ReadonlySet<string> {
  const isType = new RegExp(`\\b${type.name}\\b`);
  const owners = new Set([type.name]);
  for (const other of publicTypes) {
    if (seen.has(other)) continue;
    const { kind, name, members, texts } = other;
    const holds = members.length === 0 && texts.some((text) => isType.test(text));
    if (holds && kind === 'function') owners.add(name);
    if ((holds && kind === 'type') || basesOf(other).includes(type))
      for (const owner of ownersOf(other, new Set([...seen, other]))) owners.add(owner);
    for (const member of membersOf(other))
      if (isType.test(member.type)) owners.add(member.name === 'constructor' ? name : member.name);
  }
  return owners;
}

/** The code of a page, without its prose, or of an example, without its comments. */
function codeOf(path: string): string {
  const text = readFileSync(new URL(path, root), 'utf8');
  return path.endsWith('.md')
    ? [...text.matchAll(/^```[\s\S]*?^```|`[^`\n]+`/gm)].join('\n')
    : text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

/** Option names are followed by a colon, stand between commas or behind a dot, or begin inline code. */
const KEY = /\b(\w+)\??"?:|[{,]\s*(\w+)(?=\s*[,}])|\.(\w+)\b|`(\w+)/g;
const root = new URL('../../', import.meta.url);
const examples = readdirSync(new URL('examples', root), { recursive: true, encoding: 'utf8' });
const files = [
  ...markdownFiles().filter((path) => /^docs\/(?:start|(?:guides|reference)\/[^/]+)\.md$/.test(path)),
  ...examples
    .filter((path) => /\.(?:ts|json)$/.test(path) && !path.includes('node_modules'))
    .map((path) => `examples/${path}`),
].map((path) => {
  const code = codeOf(path);
  const keys = [...code.matchAll(KEY)].map((found) => found.slice(1).find((name) => name !== undefined));
  return { words: new Set(code.match(/\w+/g)), keys: new Set(keys) };
});

it('every option is in the code of a guide, a reference page or an example, beside what takes it', () => {
  const others = new Set(wordsOf(Object.values(notOptions)));
  const undocumented = optionTypes
    .filter(({ name }) => !others.has(name))
    .flatMap((type) => {
      const owners = [...ownersOf(type)];
      const beside = files.filter(({ words }) => owners.some((owner) => words.has(owner)));
      return membersOf(type)
        .flatMap((member) => [member, ...member.members])
        .filter(({ name }) => /^\w+$/.test(name) && !beside.some(({ keys }) => keys.has(name)))
        .map(({ name }) => `${type.name}.${name}, beside ${owners.join(' or ')}`);
    });
  expect([...new Set(undocumented)]).toEqual([]);
});
