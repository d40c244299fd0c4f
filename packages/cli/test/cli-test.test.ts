import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ToolRegistry } from 'toolfold';
import { serveHttp, toNodeListener } from 'toolfold/node';
import { createHandler } from 'toolfold/web';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderWith, pathOf, runHere, startHere } from './cli-program.js';
import { failureOf } from './cli-test-report.js';
import type { Report } from './cli-test-report.js';
import { registry } from '../../../test/wire/programs/broken-promises.js';

const server = pathOf('test/wire/programs/broken-promises.ts');
const seeded = ['--seed', '7', '--runs', '20'];

async function testJson(...argv: string[]): Promise<{ code: number; report: Report }> {
  const { code, out } = await runHere(['test', ...argv, '--json']);
  return { code, report: JSON.parse(out) as Report };
}

describe('toolfold test with a file', () => {
  it('finds each planted fault, and makes its input as small as possible', async () => {
    const { code, report } = await testJson(server, ...seeded);
    expect(code).toBe(1);
    const found = ['crash', 'output', 'unreadable', 'protocol', 'count', 'append'].map((name) => {
      const check = failureOf(report, `planted/${name}`);
      return [name, check?.name, check?.failure?.input, check?.failure?.message];
    });
    expect(found).toEqual([
      ['crash', 'valid', { limit: 21 }, expect.stringContaining('The handler crashed')],
      [
        'output',
        'valid',
        { name: expect.stringMatching(/^.{4}$/) },
        expect.stringContaining('ErrInvalidResult'),
      ],
      ['unreadable', 'valid', { id: 6 }, expect.stringContaining('not readable: [object Object]')],
      ['protocol', 'valid', { id: -1 }, expect.stringContaining('protocol error')],
      ['count', 'idempotent', {}, expect.stringContaining('different results')],
      ['append', 'idempotent', { note: '' }, expect.stringContaining('changed the result of planted/notes')],
    ]);
  });

  it('passes for actions that keep their promises, and skips those that may destroy something', async () => {
    const { code, report } = await testJson(server, '--only', 'kept', ...seeded);
    expect(code).toBe(0);
    expect(report.operations.map(({ address, status, reason }) => [address, status, reason])).toEqual([
      ['kept/find', 'passed', undefined],
      ['kept/set', 'passed', undefined],
      ['kept/pay', 'passed', undefined],
      ['kept/purge', 'skipped', 'destructive'],
      ['kept/guess', 'skipped', 'not marked as read-only or not destructive'],
    ]);
    const all = await testJson(server, '--only', 'kept', '--include-destructive', ...seeded);
    expect(all.report).toMatchObject({ passed: 5, skipped: 0 });
  });

  it('drafts the output schemas of actions that have none, from their results', async () => {
    const folder = folderWith({
      'a.mjs': `import { ToolRegistry } from 'toolfold';
        const inputSchema = { type: 'object', properties: { n: { type: 'integer', minimum: 0, maximum: 9 } }, required: ['n'] };
        const tool = (name, handler, more) => ({ name, description: 'Does it', readOnly: true, inputSchema, handler, ...more });
        export const registry = new ToolRegistry({ name: 'a' }).register(
          tool('rows', ({ input: { n } }) => ({
            rows: [{ id: n, note: n > 4 ? null : 'x', ...(n > 2 ? { half: n / 2 } : {}) }], next: null, none: [],
          })),
          tool('text', () => 'no data'),
          tool('declared', () => ({ a: 1 }), { outputSchema: { type: 'object' } }),
        );`,
    });
    const drafts = join(folder, 'drafts.json');
    const { code } = await testJson(join(folder, 'a.mjs'), '--write-output-schemas', drafts, ...seeded);
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(drafts, 'utf8'))).toEqual({
      rows: {
        type: 'object',
        properties: {
          rows: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                id: { type: 'integer' },
                note: { type: ['null', 'string'] },
                half: { type: 'number' },
              },
              required: ['id', 'note'],
            },
          },
          next: { type: 'null' },
          none: { type: 'array', items: {} },
        },
        required: ['rows', 'next', 'none'],
      },
    });
  });

  it('skips an action for which the caller lacks a scope, and tests it with the scope', async () => {
    const folder = folderWith({
      'a.mjs': `import { ToolRegistry } from 'toolfold';
        export const registry = new ToolRegistry({ name: 'a' }).register({
          name: 'a', description: 'Does it', readOnly: true, scopes: ['x'], inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
          handler: () => { throw new TypeError('undefined is not a function'); },
        });`,
    });
    const file = join(folder, 'a.mjs');
    const denied = await testJson(file, ...seeded);
    expect([denied.code, denied.report.operations]).toMatchObject([
      1,
      [{ status: 'skipped', reason: expect.stringContaining('pass --scopes') }],
    ]);
    const allowed = await testJson(file, ...seeded, '--scopes', 'x');
    expect([allowed.code, allowed.report.operations[0]?.status]).toEqual([1, 'failed']);
  });

  it('fails if it tested nothing', async () => {
    const { code, err } = await runHere(['test', server, '--only', 'kept/purge']);
    expect(code).toBe(1);
    expect(err).toContain('No action was tested. Pass --include-destructive');
  });

  it('prints a seed that repeats the inputs, whichever other actions are tested', async () => {
    const { out } = await runHere(['test', server, '--only', 'planted/output,planted/notes']);
    const [, seed = ''] = /Seed: (-?\d+)/.exec(out) ?? [];
    const again = await runHere(['test', server, '--only', 'planted/output', '--seed', seed]);
    const inputIn = (text: string) => /input, made .*|input: .*/.exec(text)?.[0];
    expect(inputIn(again.out)).toBe(inputIn(out));
    expect(inputIn(out)).toBeDefined();
  });

  it('prints command lines that repeat the call and the test', async () => {
    const { report } = await testJson(server, '--only', 'planted.crash', ...seeded);
    const { call = '', repeat = '' } = failureOf(report, 'planted/crash') ?? {};
    expect(call).toBe(`toolfold call ${server} planted/crash --input '{"limit":21}'`);
    const repeated = await runHere(['call', server, 'planted/crash', '--input', '{"limit":21}']);
    expect(repeated).toMatchObject({ code: 3, err: expect.stringContaining('Cannot read properties') });
    expect(repeat).toBe(`toolfold test ${server} --only planted/crash --seed 7 --runs 20`);
  });

  it('writes one line for each action', async () => {
    const { out } = await runHere(['test', server, '--only', 'kept', ...seeded]);
    expect(out).toContain(`${server}: 5 actions, 20 inputs each, seed 7`);
    expect(out).toMatch(/^✓ kept\/find +20 valid inputs \(20 without an error\); 20 invalid inputs$/m);
    expect(out).toMatch(/^✓ kept\/set .*; 10 repeated calls$/m);
    expect(out).toMatch(/^- kept\/purge +skipped: destructive$/m);
    expect(out.trimEnd()).toMatch(/3 passed, 0 failed, 2 skipped\. Seed: 7$/);
  });

  it.each([
    [['--runs', '0'], '--runs must be a whole number from 1 to 10000, not "0".'],
    [['--seed', 'x'], '--seed must be a whole number'],
    [['--only', 'kept/fnd'], 'unknown tool or action "kept/fnd". Did you mean "kept/find"?'],
    [['extra'], 'Unexpected argument "extra"'],
    [['--form', 'flat'], 'Unknown option --form'],
  ])('rejects %j', async (argv, message) => {
    const { code, err } = await runHere(['test', server, ...argv]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it('stops with Ctrl-C in the middle of a call', async () => {
    const folder = folderWith({
      'server.mjs': `
        import { writeFileSync } from 'node:fs';
        import { ToolRegistry } from 'toolfold';
        export const registry = new ToolRegistry({ name: 'a' }).register({
          name: 'wait', description: 'Waits', readOnly: true, inputSchema: {},
          handler: () => { writeFileSync('called', ''); return new Promise(() => {}); },
        });`,
    });
    const { kill, exit } = startHere(['test', 'server.mjs'], { cwd: folder });
    await expect.poll(() => existsSync(join(folder, 'called')), { timeout: 20_000 }).toBe(true);
    kill('SIGINT');
    expect(await exit).toBe(130);
  });
});

describe('toolfold test with a running server', () => {
  it('tests the actions of a grouped tool over HTTP, in both protocols', async () => {
    const running = await serveHttp(registry, { port: 0, closeOnSignals: false, view: { readOnly: true } });
    onTestFinished(() => running.close());
    for (const protocol of ['2025', '2026']) {
      const { code, report } = await testJson(running.url, '--protocol', protocol, ...seeded);
      expect(code).toBe(1);
      const failed = report.operations.filter(({ status }) => status === 'failed');
      expect(failed.map(({ address }) => address)).toEqual([
        'planted/crash',
        'planted/output',
        'planted/unreadable',
        'planted/protocol',
      ]);
      expect(failureOf(report, 'planted/protocol')?.failure?.message).toContain('error -32603');
      expect(failureOf(report, 'planted/crash')?.call).toContain(`--protocol ${protocol}`);
    }
  });

  it('fails if a second client gets another list', async () => {
    let lists = 0;
    const moody = new ToolRegistry({ name: 'moody' }).register({
      name: 'ping',
      description: 'Answers',
      readOnly: true,
      inputSchema: {},
      handler: () => 'pong',
    });
    moody.use(async ({ method }, next) => {
      const result = await next();
      if (method !== 'tools/list') return result;
      const { tools } = result as { tools: { name: string }[] };
      return { ...(result as object), tools: tools.map((tool) => ({ ...tool, title: `List ${++lists}` })) };
    });
    const running = await serveHttp(moody, { port: 0, closeOnSignals: false });
    onTestFinished(() => running.close());
    const { code, report } = await testJson(running.url, ...seeded);
    expect(code).toBe(1);
    expect(failureOf(report, 'tools/list')?.failure?.message).toContain(
      'A second client does not see "ping"',
    );
  });
});

describe('toolfold test with a server that limits the rate of requests', () => {
  it('counts HTTP status 429 as no failure of the tool', async () => {
    const limited = new ToolRegistry({ name: 'limited' }).register({
      name: 'add',
      description: 'Adds',
      idempotent: true,
      destructive: false,
      inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      handler: () => 'added',
    });
    const listen = toNodeListener(createHandler(limited));
    let calls = 0;
    const http = createServer((request, response) => {
      if (request.headers['mcp-method'] === 'tools/call' && ++calls > 10) response.writeHead(429).end();
      else void listen(request, response);
    });
    await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void http.close());
    const { port } = http.address() as AddressInfo;
    const { code, report } = await testJson(`http://127.0.0.1:${port}/mcp`, ...seeded);
    expect({ code, failed: report.failed }).toEqual({ code: 0, failed: 0 });
    expect(calls).toBeGreaterThan(10);
    expect(JSON.stringify(report)).toContain('the server limits the rate of calls');
  });
});
