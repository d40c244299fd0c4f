import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Requirement, requirements } from './requirements.js';

const repository = new URL('../', import.meta.url);
const self = 'test/requirements.test.ts';

const comment = /\/\/.*|\/\*[\s\S]*?\*\//y;
const regexLiteral = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/y;
const token = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|[\w$]+|\S/y;
const isString = (text: string | undefined): text is string => /^['"`]/.test(text ?? '');

/** Words, strings and punctuation of a TypeScript file, without comments and regular expressions. */
function tokens(source: string): string[] {
  const found: string[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0];
    at += text?.length ?? 0;
    return text;
  };
  while (at < source.length) {
    if (take(/\s+/y) !== undefined || take(comment) !== undefined) continue;
    // After a value `/` divides; anywhere else it opens a regular expression.
    const afterValue = /^(?:[\w$'"`)\]])/.test(found.at(-1) ?? '') && found.at(-1) !== 'return';
    if (!afterValue && take(regexLiteral) !== undefined) continue;
    found.push(take(token) ?? '');
  }
  return found;
}

/** The index after the bracket that closes the one at `open`. */
function afterClosing(list: readonly string[], open: number): number {
  let depth = 0;
  for (let at = open; at < list.length; at += 1) {
    if ('([{'.includes(list[at] ?? ' ')) depth += 1;
    if (')]}'.includes(list[at] ?? ' ')) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return list.length;
}

/** The titles of it() and test() calls that run: a skipped or planned test proves nothing. */
function titles(source: string): string[] {
  const list = tokens(source);
  const found: string[] = [];
  list.forEach((word, start) => {
    if ((word !== 'it' && word !== 'test') || list[start - 1] === '.') return;
    let at = start + 1;
    const modifiers: string[] = [];
    while (list[at] === '.') {
      modifiers.push(list[at + 1] ?? '');
      at += 2;
    }
    if (modifiers.includes('skip') || modifiers.includes('todo')) return;
    // With a table, as argument or as template, the title is in the second call.
    if (/^(?:each|for|runIf|skipIf)$/.test(modifiers.at(-1) ?? '')) {
      if (list[at] === '<') {
        while (at < list.length && !(list[at] === '>' && list[at + 1] === '(' && list[at - 1] !== '='))
          at += 1;
        at += 1;
      }
      at = isString(list[at]) ? at + 1 : afterClosing(list, at);
    }
    const title = list[at + 1];
    if (list[at] === '(' && isString(title)) found.push(title.slice(1, -1));
  });
  return found;
}

const citedIn = (source: string): string[] => [
  ...new Set(
    titles(source).flatMap((title) => [...title.matchAll(/\[(S\d[^\]\s]*)\]/g)].map((m) => m[1] ?? '')),
  ),
];

function testFiles(folder: string): string[] {
  return readdirSync(fileURLToPath(new URL(folder, repository)), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory()) return /^(?:node_modules|dist)$/.test(entry.name) ? [] : testFiles(`${path}/`);
    return path.endsWith('.test.ts') && path !== self ? [path] : [];
  });
}

/** Every pair of test file and cited id. */
const citations = ['packages/', 'test/']
  .flatMap(testFiles)
  .flatMap((file) => citedIn(readFileSync(new URL(file, repository), 'utf8')).map((id) => ({ file, id })));
const byId = new Map(requirements.map((entry) => [entry.id, entry]));
const cites = (file: string, id: string): boolean => citations.some((c) => c.file === file && c.id === id);
const isOpen = (entry: Requirement): boolean =>
  entry.pending === undefined && entry.supersededBy === undefined;

/** A line such as `3 pending (compile 2, build 1)`, with areas in the order of their first entry. */
function summary(entries: readonly Requirement[]): string {
  const areas = new Map<string, number>();
  for (const { pending } of entries) if (pending) areas.set(pending, (areas.get(pending) ?? 0) + 1);
  const pending = [...areas.values()].reduce((sum, count) => sum + count, 0);
  const list = pending > 0 ? ` (${[...areas].map(([area, count]) => `${area} ${count}`).join(', ')})` : '';
  const proven = entries.filter(
    (entry) => isOpen(entry) && entry.tests.some((file) => cites(file, entry.id)),
  );
  const superseded = entries.filter((entry) => entry.supersededBy !== undefined);
  return `requirements: ${proven.length} proven, ${pending} pending${list}, ${superseded.length} superseded`;
}

describe('requirements', () => {
  it('print how many are proven, pending and superseded', () => {
    const line = summary(requirements);
    process.stdout.write(`${line}\n`);
    expect(line).toMatch(/^requirements: \d+ proven, \d+ pending/);
  });

  it('have well-formed, unique ids, numbered per seed without gaps', () => {
    const next = new Map<string, number>();
    const expected = requirements.map(({ seed }) => {
      const number = (next.get(seed) ?? 0) + 1;
      next.set(seed, number);
      return `S${seed}-${String(number).padStart(2, '0')}`;
    });
    expect(requirements.map(({ id }) => id)).toEqual(expected);
    expect([...next.keys()], 'the seeds in order, each in one run').toEqual([...next.keys()].toSorted());
    expect(byId.size).toBe(requirements.length);
  });

  it('are not cited by tests that are switched off', () => {
    const off = ['packages/', 'test/']
      .flatMap(testFiles)
      .filter((file) =>
        /\b(?:describe|it|test)\.(?:skip|todo|only|fails)\b/.test(
          readFileSync(new URL(file, repository), 'utf8'),
        ),
      );
    expect(off).toEqual([]);
  });

  it('state each behaviour once', () => {
    const seen = new Map<string, string>();
    const repeated = requirements.flatMap(({ id, behaviour }) => {
      const first = seen.get(behaviour);
      seen.set(behaviour, first ?? id);
      return first === undefined ? [] : [`${id} says the same as ${first}`];
    });
    expect(repeated).toEqual([]);
  });

  it('name a test file unless they are pending or superseded', () => {
    const unproven = requirements.filter((entry) => isOpen(entry) && entry.tests.length === 0);
    expect(unproven.map(({ id, behaviour }) => `${id} has no test: ${behaviour}`)).toEqual([]);
  });

  it('are cited in a test title of every file they name', () => {
    const wrong = requirements.flatMap(({ id, tests }) =>
      tests.filter((file) => !cites(file, id)).map((file) => `${id}: no test title in ${file} cites it`),
    );
    expect(wrong).toEqual([]);
  });

  it('name every file that cites them', () => {
    const unlisted = citations.filter(({ id, file }) => {
      const entry = byId.get(id);
      return entry !== undefined && entry.pending === undefined && !entry.tests.includes(file);
    });
    expect(unlisted.map(({ id, file }) => `${id} is cited in ${file}: list it in tests`)).toEqual([]);
  });

  it('exist for every id that a test cites', () => {
    const unknown = citations.filter(({ id }) => !byId.has(id));
    expect(unknown.map(({ id, file }) => `${id} is cited in ${file} and does not exist`)).toEqual([]);
  });

  it('are cited by no test and name none while they are pending', () => {
    const proven = requirements.filter(
      (entry) =>
        entry.pending !== undefined &&
        (entry.tests.length > 0 || citations.some(({ id }) => id === entry.id)),
    );
    expect(proven.map(({ id }) => `${id} is cited: drop its pending mark`)).toEqual([]);
  });

  it('point at an entry of a later seed if they are superseded', () => {
    const wrong = requirements.filter(({ seed, supersededBy }) => {
      if (supersededBy === undefined) return false;
      const later = byId.get(supersededBy);
      return later === undefined || later.supersededBy !== undefined || later.seed <= seed;
    });
    expect(wrong.map(({ id, supersededBy }) => `${id} is superseded by ${supersededBy}`)).toEqual([]);
  });
});

describe('citations', () => {
  it.each([
    ['it', `it('[S000-01] one', () => {});`],
    ['test', `test("[S000-01] one", () => {});`],
    ['a template', 'it(`[S000-01] ${name}`, () => {});'],
    ['a line break', `it(\n  '[S000-01] one',\n  () => {},\n);`],
    ['a modifier', `it.concurrent('[S000-01] one', () => {});`],
    ['each', `it.each([['a)', fn(1)], [{ b: ')' }]])('[S000-01] %s', () => {});`],
    ['each as a tag', 'test.each`a\n${1}`("[S000-01] $a", () => {});'],
    ['a regular expression before it', `const quote = /['"\`]/; it('[S000-01] one', () => {});`],
    ['an escaped quote', `it('isn\\'t [S000-01]', () => {});`],
  ])('are found in the title of %s', (_, source) => {
    expect(citedIn(source)).toEqual(['S000-01']);
  });

  it('may be several in one title, and count once per file', () => {
    expect(citedIn(`it('[S000-01] [S001-02] a'); test('[S000-01] b');`)).toEqual(['S000-01', 'S001-02']);
  });

  it.each([
    ['a comment', `// it('[S000-01] one')\n/* it('[S000-01] two') */`],
    ['a comment inside the call', `it(/* '[S000-01]' */ 'one', () => {});`],
    ['a string', `const text = "it('[S000-01] one')";`],
    ['a template string', "const text = `\nit('[S000-01] one')\n`;"],
    ['the body of a test', `it('one', () => expect('[S000-01]').toBe(1));`],
    ['a describe', `describe('[S000-01] one', () => {});`],
    ['a method named test', `/x/.test('[S000-01]'); pattern.test('[S000-01]');`],
    ['a test that does not run', `it.skip('[S000-01] one'); test.todo('[S000-01] two');`],
  ])('are not found in %s', (_, source) => {
    expect(citedIn(source)).toEqual([]);
  });

  it('include ids that are not well-formed', () => {
    expect(citedIn(`it('[S000-1a] one', () => {});`)).toEqual(['S000-1a']);
  });
});
