import { describe, expect, it } from 'vitest';
import type { DiffReport, Finding, TreeFindings } from '../../devtools/src/page-api.js';
import { folderWith, startProgram } from './cli-program.js';
import { pageAt, textOf } from '../../../test/wire/page-client.js';

const recursive = { type: 'object', $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' };
const tools = [
  { name: 'users.get', description: 'Returns a user by its id.', inputSchema: { type: 'object' } },
  { name: 'bidi\u202egnp', description: 'Returns a picture of a user.', inputSchema: { type: 'object' } },
  { name: 'endless', description: 'Has a schema that nobody can check.', inputSchema: recursive },
];

/** A server of another author, whose names are not portable and whose last tool cannot be shown. */
const server = `
import { createInterface } from 'node:readline';
const tools = ${JSON.stringify(tools)};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...result }) + '\\n');
  if (method === 'initialize')
    answer({ result: { protocolVersion: '2025-06-18', serverInfo: { name: 'odd', version: '1' }, capabilities: { tools: {} } } });
  else if (method === 'tools/list') answer({ result: { tools } });
  else if (method === 'tools/call') answer({ result: { content: [{ type: 'text', text: params.name }] } });
  else if (id !== undefined) answer({ error: { code: -32601, message: 'no' } });
});
`;

async function run(argv: readonly string[], cwd: string): Promise<string> {
  const { written, exit } = startProgram([...argv], { cwd });
  await exit;
  return written.out;
}

/** Shows a target, and returns what its page says. */
async function look(target: readonly string[], cwd: string) {
  const { written } = startProgram(['ui', '--port', '0', '--json', ...target], { cwd });
  await expect.poll(() => written.out, { timeout: 60_000 }).toContain('\n');
  const page = pageAt((JSON.parse(written.out) as { url: string }).url);
  return {
    page,
    names: await page.tools(),
    ofList: (await page.get<TreeFindings>('/api/tree/findings')).ofList,
    ofUsers: await page.get<Finding[]>('/api/item/findings?address=users_get'),
    diff: await page.get<DiffReport>('/api/diff'),
  };
}

describe('the page of a server whose names are not portable', () => {
  it('shows the names, findings and changes that the commands show, and which tools are left out', async () => {
    const folder = folderWith({ 'server.mjs': server });
    const command = ['--', process.execPath, 'server.mjs'];
    await run(['lock', ...command], folder);
    expect(await run(['diff', ...command], folder)).toContain('No changes');
    const { page, names, ofList, ofUsers, diff } = await look(command, folder);
    expect(names).toEqual(['users.get', 'bidi\u202egnp']);
    expect(ofList.filter(({ rule }) => rule === 'left-out')).toMatchObject([
      { severity: 'error', reason: expect.stringContaining('"endless" is left out') as unknown },
    ]);
    expect(ofUsers).toContainEqual(
      expect.objectContaining({ rule: 'renamed', reason: 'The server calls this tool "users.get".' }),
    );
    expect(ofUsers.map(({ rule }) => rule)).toContain('name-pattern');
    expect(diff.comparison?.changes).toEqual([]);
    const client = await page.connect();
    expect(textOf(await client.callTool({ name: 'users_get', arguments: {} }))).toBe('users.get');
  });

  it('is the same for a saved list', async () => {
    const folder = folderWith({ 'tools.json': JSON.stringify({ tools }) });
    await run(['lock', 'tools.json'], folder);
    const { names, ofList, ofUsers, diff } = await look(['tools.json'], folder);
    expect(names).toEqual(['users.get', 'bidi\u202egnp']);
    expect(ofList.map(({ rule }) => rule)).toContain('left-out');
    expect(ofUsers.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['renamed', 'name-pattern']));
    expect(diff.comparison?.changes).toEqual([]);
  });
});
