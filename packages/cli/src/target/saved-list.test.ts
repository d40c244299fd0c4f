import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runHere } from '../../test/cli-program.js';
import { readSavedList } from './saved-list.js';

const read = async (text: string, name = 'tools.json') => {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-saved-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, name);
  writeFileSync(file, text);
  return readSavedList(file).catch((error: Error) => {
    throw new Error(error.message.replace(`${folder}/`, ''));
  });
};
const tool = (name: string) => ({ name, description: name, inputSchema: { type: 'object' } });
const [one, two] = [tool('one'), tool('two')];
const json = (value: unknown): string => JSON.stringify(value);

describe('readSavedList', () => {
  it.each([
    ['an array of tools', json([one, two]), ['/0', '/1']],
    ['an empty array', '[]', []],
    ['an object with tools', `\uFEFF${json({ source: 'x', tools: [one, two] })}`, ['/tools/0', '/tools/1']],
    ['a JSON-RPC response', json({ jsonrpc: '2.0', id: 1, result: { tools: [one] } }), ['/result/tools/0']],
    [
      'pages in an array',
      json([{ tools: [one] }, { result: { tools: [two] } }]),
      ['/0/tools/0', '/1/result/tools/0'],
    ],
    ['pages in lines', `${json({ tools: [one] })}\n\n${json({ tools: [two] })}\n`, ['/tools/0', '/tools/0']],
  ])('reads %s, and remembers where each tool is', async (_, text, pointers) => {
    const { tools } = await read(text);
    expect(tools.map(({ pointer }) => pointer)).toEqual(pointers);
    expect(tools.map((each) => each.tool.name)).toEqual(['one', 'two'].slice(0, pointers.length));
  });

  it('counts empty lines between pages, so that a page is the line of the file', async () => {
    const { tools } = await read(`${json({ tools: [one] })}\n\n${json({ tools: [two] })}`);
    expect(tools.map(({ page }) => page)).toEqual([0, 2]);
  });

  it.each([
    ['{', 'tools.json is not valid JSON: '],
    ['{"a":1}\n{', 'tools.json is not valid JSON: '],
    ['{}', 'tools.json is not a saved tools/list: it is empty. Save an array of tools'],
    ['"tools"', 'tools.json is not a saved tools/list: it is a string.'],
    ['{"mcpServers":{}}', 'tools.json is not a saved tools/list: it has "mcpServers".'],
    ['{"tools":[]}\n{"x":1}', 'tools.json, line 2, is not a saved tools/list: it has "x".'],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}', 'tools.json is a JSON-RPC error'],
    [
      '{"toolfoldLock":1,"tools":[]}',
      'tools.json is a lockfile, which does not hold the tools as clients see',
    ],
    ['{"tools":null}', 'tools.json is not a saved tools/list: "tools" is null. It must be an array of tools'],
    ['{"tools":{}}', '"tools" is an object. It must be an array'],
    ['{"result":{"tools":"x"}}', '"result.tools" is a string. It must be an array'],
    ['{"result":{}}', 'it has "result". Save an array of tools'],
    ['[{"tools":[]},{"tools":null}]', 'tools.json, entry /1, is not a saved tools/list: "tools" is null.'],
    ['{"tools":[]}\n{"tools":null}', 'tools.json, line 2, is not a saved tools/list: "tools" is null.'],
    ['[{"name":"a","tools":[]},{"tools":1}]', 'tool /1 has no name'],
    ['[1]', 'tools.json: tool /0 is a number, not an object.'],
    ['{"tools":[{"name":"a"},null]}', 'tools.json: tool /tools/1 is null, not an object.'],
    ['[[]]', 'tools.json: tool /0 is an array, not an object.'],
    ['[{"description":"x"}]', 'tools.json: tool /0 has no name.'],
    [
      `[{"name":"deep","inputSchema":${'{"a":'.repeat(300)}1${'}'.repeat(301)}]`,
      'tools.json: tool /0 is nested more than 200',
    ],
  ])('explains why %s is not a list of tools', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('keeps the input schema as written, so that checks see its mistakes', async () => {
    const inputSchema = { anyOf: [{ required: ['a'] }], __proto__: null };
    const { tools, pages } = await read(
      json([{ name: 'odd', title: 4, description: null, inputSchema, annotations: [] }, { name: 'none' }]),
    );
    expect(tools.map((each) => each.tool)).toEqual([
      { name: 'odd', inputSchema: { anyOf: [{ required: ['a'] }] } },
      { name: 'none', inputSchema: {} },
    ]);
    expect(pages[0]).toMatchObject([{ title: 4, description: null }, {}]);
  });
});

describe('commands with a saved list', () => {
  const github = 'test/data/github-tools.json';

  it('shows the 117 tools of a saved list in toolfold inspect', async () => {
    const { code, out, err } = await runHere(['inspect', github, '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ kind: 'saved', source: github, tools: { length: 117 } });
  });

  it('selects tools of a saved list by the first word of their names', async () => {
    const { out } = await runHere(['inspect', github, '--toolsets', 'search', '--readonly', '--json']);
    const { tools } = JSON.parse(out) as { tools: { name: string }[] };
    expect(tools.length).toBeGreaterThan(3);
    expect(tools.every(({ name }) => name.startsWith('search_'))).toBe(true);
  });

  it.each([
    [
      'call',
      [github, 'get_me'],
      'is a saved list of tools, which cannot be called. Pass a file that exports a registry',
    ],
    ['test', [github], 'is a saved list of tools, which cannot be called.'],
    ['dev', [github], 'A saved list of tools cannot be served. Pass the file that exports your registry.'],
    ['inspect', [github, '--form', 'flat'], '--form works only with a file that exports a registry.'],
    ['inspect', ['missing.json'], 'The file "missing.json" does not exist.'],
  ])('is a usage error where toolfold %s needs more than a list: %j', async (command, argv, message) => {
    const { code, err } = await runHere([command, ...argv]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it('reports tools of the same name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolfold-saved-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'a.json'), json([one, two, one]));
    const { code, err } = await runHere(['inspect', 'a.json'], { cwd: folder });
    expect({ code, err }).toEqual({ code: 0, err: 'toolfold: a.json: /0 and /2 are both named "one"\n' });
  });
});
