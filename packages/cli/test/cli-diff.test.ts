import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { JsonSchemaObject } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { splitWords } from '../src/diff/read-sides.js';
import { pathOf, runHere } from './cli-program.js';

function folderOf(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-diff-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, value] of Object.entries(files))
    writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
  return folder;
}

const tool = (name: string, properties: object, more: object = {}) => ({
  name,
  inputSchema: { type: 'object', properties, additionalProperties: false },
  ...more,
});
const text = { type: 'string' };
const lists = {
  'before.json': { tools: [tool('a', { x: text }, { description: 'Does a' })] },
  'same.json': {
    jsonrpc: '2.0',
    id: 1,
    result: { tools: [tool('a', { x: text }, { description: 'Does a' })] },
  },
  'narrowed.json': { tools: [tool('a', { x: { enum: ['|`<b>`'] } }, { description: 'Does a' })] },
  'widened.json': { tools: [tool('a', { x: {} }, { description: 'Does a' })] },
  'risky.json': { tools: [tool('a', { x: { ...text, default: 'y' } }, { description: 'Does a' })] },
  'default.json': { tools: [tool('a', { x: { ...text, default: 'z' } }, { description: 'Does a' })] },
  'text.json': { tools: [tool('a', { x: text }, { description: 'Does <b>a</b>\n::error::b' })] },
  'undecided.json': { tools: [tool('a', { x: { type: 'thing' } }, { description: 'Does a' })] },
};

describe('toolfold diff', () => {
  it.each([
    ['before.json', 'same.json', [], 0, 'No changes.'],
    ['before.json', 'widened.json', [], 0, '1 compatible'],
    ['before.json', 'narrowed.json', [], 1, '1 breaking'],
    ['risky.json', 'default.json', [], 5, '1 risky'],
    ['risky.json', 'default.json', ['--fail-on', 'breaking'], 0, '1 risky'],
    ['before.json', 'text.json', [], 0, '1 note'],
    ['before.json', 'text.json', ['--fail-on', 'any'], 5, '1 note'],
    ['before.json', 'undecided.json', [], 1, '1 undecided'],
    ['before.json', 'undecided.json', ['--allow-undecided'], 0, '1 undecided'],
  ])('of %s and %s %j exits with %i', async (before, after, options, expected, summary) => {
    const { code, out, err } = await runHere(['diff', before, after, ...options], { cwd: folderOf(lists) });
    expect(err).toBe('');
    expect(out).toContain(`${before} → ${after}\n${summary}`);
    expect(code).toBe(expected);
  });

  it('shows the change, the keyword and a value that is rejected now', async () => {
    const { out } = await runHere(['diff', 'before.json', 'narrowed.json'], { cwd: folderOf(lists) });
    expect(out).toBe(
      [
        'before.json → narrowed.json',
        '1 breaking',
        '',
        '✗ breaking  a',
        '    Input narrowed: it rejects calls that it accepted.',
        '      x: type "string" removed',
        '      x: only "|`<b>`"',
        '    accepted before, rejected now: {"x":""}',
        '',
      ].join('\n'),
    );
  });

  it('prints JSON with every change', async () => {
    const { out, code } = await runHere(['diff', 'before.json', 'narrowed.json', '--json'], {
      cwd: folderOf(lists),
    });
    expect(JSON.parse(out)).toMatchObject({
      before: 'before.json',
      after: 'narrowed.json',
      severity: 'breaking',
      counts: { breaking: 1, undecided: 0 },
      changes: [
        { kind: 'input-narrowed', address: 'a', witness: { acceptedBy: 'before', value: { x: '' } } },
      ],
      notCompared: [],
    });
    expect(code).toBe(1);
  });

  it('prints workflow commands that texts of a server cannot forge', async () => {
    const { out } = await runHere(['diff', 'before.json', 'text.json', '--format', 'github'], {
      cwd: folderOf(lists),
    });
    expect(out).toBe(
      '::notice title=note%3A a::The description changed.%0ADoes [-a-] {+<b>a</b> ::error::b+}\n',
    );
    const narrowed = await runHere(['diff', 'before.json', 'narrowed.json', '--format', 'github'], {
      cwd: folderOf(lists),
    });
    expect(narrowed.out.trim().split('\n')).toHaveLength(1);
    expect(narrowed.out).toContain('::error title=breaking%3A a::Input narrowed');
  });

  it('prints Markdown that texts of a server cannot leave', async () => {
    const { out } = await runHere(['diff', 'before.json', 'text.json', '--format', 'markdown'], {
      cwd: folderOf(lists),
    });
    expect(out).toContain('- `a`: The description changed.\n  - `Does` ~~`a`~~ **`<b>a</b> ::error::b`**');
    const narrowed = await runHere(['diff', 'before.json', 'narrowed.json', '--format', 'markdown'], {
      cwd: folderOf(lists),
    });
    expect(narrowed.out).toContain('`` x: only "|`<b>`" ``');
  });

  it('compares the lockfile of the folder with a file, in the form of the lockfile', async () => {
    const cwd = folderOf({});
    const registry = pathOf('examples/cli/registry.ts');
    const locked = await runHere(['lock', registry, '--form', 'flat'], { cwd });
    expect(locked).toEqual({ code: 0, out: 'toolfold.lock.json: 4 tools, 4 actions\n', err: '' });
    const { out, code } = await runHere(['diff', registry], { cwd });
    expect(out).toContain('No changes.');
    expect(code).toBe(0);
    const other = await runHere(['diff', registry, '--form', 'grouped'], { cwd });
    expect(other.out).toContain('The forms differ: flat before, grouped after.');
    expect(other.code).toBe(1);
  });

  it('compares two running servers, and a lockfile with a running server', async () => {
    const serve = async (description: string, inputSchema: JsonSchemaObject) => {
      const registry = new ToolRegistry({ name: 's', version: '1' });
      registry.register({ name: 'echo', description, inputSchema, handler: () => 'x' });
      const server = await serveHttp(registry, { port: 0 });
      onTestFinished(() => server.close());
      return String(server.url);
    };
    const one = await serve('Echoes', { type: 'object', properties: { a: text } });
    const other = await serve('Echoes', { type: 'object', properties: { a: text }, required: ['a'] });
    const cwd = folderOf({});
    const { out, code } = await runHere(['diff', one, other], { cwd });
    expect(out).toContain('a: required now');
    expect(code).toBe(1);
    expect((await runHere(['lock', one], { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, 'toolfold.lock.json'), 'utf8')).toContain('"protocol": "2026-07-28"');
    expect((await runHere(['diff', one], { cwd })).code).toBe(0);
    expect((await runHere(['diff', other, '--json'], { cwd })).code).toBe(1);
  });

  it('starts the commands of --before and --after, and a command after --', async () => {
    const command = `${process.execPath} ${pathOf('node_modules/@modelcontextprotocol/server-everything/dist/index.js')}`;
    const cwd = folderOf({});
    const both = await runHere(['diff', '--before', command, '--after', command], { cwd });
    expect(both.out).toContain('No changes.');
    expect(
      (await runHere(['lock', '--output', 'every.lock.json', '--', ...command.split(' ')], { cwd })).code,
    ).toBe(0);
    const last = await runHere(['diff', 'every.lock.json', '--', ...command.split(' ')], { cwd });
    expect(last.out).toContain('No changes.');
    expect(last.code).toBe(0);
  });

  it.each([
    [[], 'No server given'],
    [['before.json'], 'There is no toolfold.lock.json in this folder'],
    [['before.json', 'same.json', 'text.json'], '3 versions given'],
    [['before.json', 'none.json'], 'The file "none.json" does not exist'],
    [['before.json', 'same.json', '--fail-on', 'x'], '--fail-on must be'],
    [['before.json', 'same.json', '--format', 'x'], '--format must be'],
    [['before.json', 'same.json', '--format', 'github', '--json'], 'exclude each other'],
    [['before.json', 'same.json', '--header', 'a:b'], '--header works only with a URL'],
    [['https://a.example/mcp', 'https://b.example/mcp', '--header', 'a:b'], 'same headers to two servers'],
    [['--before', 'node x.js'], 'Only --before is given'],
    [['--before', "node 'x.js", 'same.json'], 'ends inside of a quotation'],
    [['npm:--registry=x', 'same.json'], 'does not name a package'],
    [['npm:../x', 'same.json'], 'does not name a package'],
    [['--after', 'same.json', 'before.json', '--', 'node'], 'Both --after and a command'],
  ])('rejects %j', async (args, message) => {
    const { code, err } = await runHere(['diff', ...args], { cwd: folderOf(lists) });
    expect(err).toContain(message);
    expect(code).toBe(2);
  });

  it.each([
    ['node a.js', ['node', 'a.js']],
    [`  node 'a b' "c \\" d" e\\ f ''`, ['node', 'a b', 'c " d', 'e f', '']],
    ['a"b"\'c\'', ['abc']],
    ['$HOME `x` ~', ['$HOME', '`x`', '~']],
  ])('splits the command line %s', (line, words) => {
    expect(splitWords(line, '--before')).toEqual(words);
  });
});

describe('toolfold lock', () => {
  it('writes the same text again, and --check accepts it', async () => {
    const cwd = folderOf({});
    const registry = pathOf('examples/cli/registry.ts');
    await runHere(['lock', registry], { cwd });
    const first = readFileSync(join(cwd, 'toolfold.lock.json'), 'utf8');
    await runHere(['lock', registry], { cwd });
    expect(readFileSync(join(cwd, 'toolfold.lock.json'), 'utf8')).toBe(first);
    expect(first).not.toContain(cwd);
    expect(first).toContain('"scopes": [');
    expect((await runHere(['lock', registry, '--check'], { cwd })).code).toBe(0);
  });

  it('fails with --check for any difference, also one without effect on callers', async () => {
    const cwd = folderOf(lists);
    await runHere(['lock', 'before.json'], { cwd });
    const { code, out, err } = await runHere(['lock', 'text.json', '--check'], { cwd });
    expect(out).toContain('1 note');
    expect(err).toContain('The tools differ from toolfold.lock.json');
    expect(code).toBe(1);
    expect((await runHere(['lock', 'same.json', '--check'], { cwd })).code).toBe(0);
  });

  it('does not replace a file that is no lockfile', async () => {
    const cwd = folderOf(lists);
    const { code, err } = await runHere(['lock', 'before.json', '--output', 'same.json'], { cwd });
    expect(err).toContain('is not a lockfile, so it is not replaced');
    expect(code).toBe(1);
  });

  it.each([
    [['before.json', 'same.json'], 'Unexpected argument', 2],
    [['before.json', '--format', 'github'], '--format works only with --check', 2],
    [['before.json', '--check'], 'does not exist. Write it with toolfold lock', 1],
    [['before.json', '--output', ''], '--output needs the name of a file', 2],
  ])('rejects %j', async (args, message, expected) => {
    const { code, err } = await runHere(['lock', ...args], { cwd: folderOf(lists) });
    expect(err).toContain(message);
    expect(code).toBe(expected);
  });
});
