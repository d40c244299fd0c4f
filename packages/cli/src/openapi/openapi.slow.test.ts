import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, expect, it } from 'vitest';
import { ApiServer, answerJson } from '../../../openapi/test/api-server.js';
import { readSpecification, specifications } from '../../../openapi/test/specifications.js';
import type { ToolRegistry } from 'toolfold';
import { ejectOpenAPI, fromOpenAPI } from '@toolfold/openapi';
import { ToolRegistry as Registry } from 'toolfold';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const program = join(root, 'packages/cli/dist/main.js');
const museum = join(root, 'examples/openapi/museum.yaml');
// Inside the package, so that the ejected files find toolfold.
const folder = mkdtempSync(join(root, 'test', '.ejected-'));

afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      { env: { ...process.env, ...env }, cwd: root, maxBuffer: 2 ** 26 },
      (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

const key = { MUSEUM_KEY: 'museum-key-12345' };

describe('toolfold openapi', () => {
  it('serves a specification over stdio in the search form, with a credential from the environment', async () => {
    await using api = await ApiServer.start((_, response) => answerJson(response, { events: [] }));
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [
        program,
        'openapi',
        museum,
        '--base-url',
        api.origin,
        '--form',
        'search',
        '--credential',
        'MuseumKey=MUSEUM_KEY',
      ],
      env: { ...(process.env as Record<string, string>), ...key },
    });
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(transport);
    const { isError } = await client.callTool({
      name: 'call_read_tool',
      arguments: { address: 'events/list', arguments: { cursor: 'a b' } },
    });
    await client.close();
    expect(isError).not.toBe(true);
    expect(api.last.target).toBe('/events?cursor=a%20b');
    expect(api.last.headers).toContainEqual(['x-museum-key', key.MUSEUM_KEY]);
  });

  it('fetches a specification, and serves it over HTTP', async () => {
    const spec = {
      openapi: '3.1.0',
      servers: [{ url: '/v1' }],
      paths: { '/things': { get: {}, delete: {} } },
    };
    await using api = await ApiServer.start(({ target }, response) => {
      if (target === '/old') response.writeHead(302, { location: '/openapi.json' }).end();
      else answerJson(response, spec);
    });
    const child = spawn(process.execPath, [
      program,
      'openapi',
      `${api.origin}/old`,
      '--base-url',
      api.origin,
      '--readonly',
      '--http',
      '0',
      '--json',
    ]);
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await expect.poll(() => printed).toContain('\n');
    const { url, operations } = JSON.parse(printed) as { url: string; operations: number };
    expect(operations).toBe(1);
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['things']);
    await client.close();
    child.kill('SIGTERM');
    await expect.poll(() => child.exitCode).toBe(0);
  });

  it('does not follow redirects to other hosts, and reports errors of the server', async () => {
    await using api = await ApiServer.start(({ target }, response) => {
      if (target === '/a') response.writeHead(302, { location: 'https://example.com/openapi.json' }).end();
      else response.writeHead(404).end();
    });
    const redirected = await run(['openapi', `${api.origin}/a`]);
    expect([redirected.code, redirected.stderr]).toEqual([
      1,
      expect.stringContaining('which is not followed'),
    ]);
    const missing = await run(['openapi', `${api.origin}/b`]);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('status 404')]);
  });

  it.each([
    [[], 'No specification given'],
    [['none.yaml'], 'does not exist'],
    [['http://example.com/openapi.json'], 'fetched from https'],
    [[museum, 'more'], 'Unexpected argument'],
    [[museum, '--credential', 'MuseumKey=abc-123'], 'scheme=VARIABLE'],
    [[museum, '--credential', 'MuseumKey=NOT_SET_AT_ALL'], 'is not set'],
    [[museum, '--group-by', 'x'], 'tag or path'],
    [[museum, '--json'], '--http or --eject'],
    [[museum, '--force'], 'only with --eject'],
  ])('rejects an invalid command line: %j', async (args, message) => {
    const { code, stderr } = await run(['openapi', ...args]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it('fails on operations that cannot be offered only with --strict', async () => {
    const file = join(folder, 'odd.json');
    const paths = { '/a': { get: {} }, '/b': { get: { servers: [{ url: 'https://b.example' }] } } };
    writeFileSync(file, JSON.stringify({ openapi: '3.1.0', servers: [{ url: 'https://a.example' }], paths }));
    const out = join(folder, 'odd');
    const strict = await run(['openapi', file, '--strict', '--eject', out]);
    expect([strict.code, strict.stderr]).toEqual([1, expect.stringContaining('is on another server')]);
    const lenient = await run(['openapi', file, '--eject', out]);
    expect([lenient.code, lenient.stderr]).toEqual([0, expect.stringContaining('left out GET /b')]);
  });
});

describe('a specification as the target of another command', () => {
  it.each([
    ['lint', ['lint', museum], ''],
    ['tokens', ['tokens', museum], 'search'],
    ['inspect', ['inspect', museum], 'events'],
  ])('works: %s', async (_, args, printed) => {
    const { code, stdout, stderr } = await run(args);
    expect(stderr + stdout).not.toMatch(/not a saved|cannot be loaded/);
    expect(stdout).toContain(printed);
    expect([0, 1]).toContain(code);
  });
});

describe('toolfold openapi --eject', () => {
  const out = join(folder, 'museum');

  it('writes definitions that compile and send the same requests', async () => {
    await using api = await ApiServer.start((_, response) => answerJson(response, { id: 'e1', name: 'x' }));
    const args = ['openapi', museum, '--base-url', api.origin, '--eject', out];
    const first = await run([...args, '--credential', 'MuseumKey=MUSEUM_KEY']);
    expect(first.stderr).toBe('');
    expect(first.code).toBe(0);
    for (const file of ['request.ts', 'registry.ts', 'events.ts', 'museum.ts', 'tickets.ts'])
      expect(existsSync(join(out, file))).toBe(true);
    expect(readFileSync(join(out, 'events.ts'), 'utf8')).toContain(
      "handler: request({\n    method: 'GET',\n    path: '/events/{id}',",
    );

    const kept = readFileSync(join(out, 'events.ts'), 'utf8');
    writeFileSync(join(out, 'events.ts'), `${kept}// mine\n`);
    const again = await run(args);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('Pass --force')]);
    expect(readFileSync(join(out, 'events.ts'), 'utf8')).toContain('// mine');
    expect((await run([...args, '--force', '--json'])).code).toBe(0);
    expect(readFileSync(join(out, 'events.ts'), 'utf8')).toBe(kept);

    process.env['MUSEUM_KEY'] = key.MUSEUM_KEY;
    const { registry: ejected } = (await import(pathToFileURL(join(out, 'registry.ts')).href)) as {
      registry: ToolRegistry;
    };
    const imported = new Registry({ name: 'museum' });
    const text = readFileSync(museum, 'utf8');
    imported.register(
      fromOpenAPI(text, { baseUrl: api.origin, credentials: { MuseumKey: key.MUSEUM_KEY }, scopes: false }),
    );
    expect(ejected.view({}).listTools()).toEqual(imported.view({}).listTools());
    const calls = [
      { name: 'museum', arguments: { action: 'get_hours', date: '2026-12-01', limit: 3 } },
      { name: 'events', arguments: { action: 'list', cursor: 'ä/b&c' } },
      { name: 'events', arguments: { action: 'get', id: 'a/b' } },
      { name: 'events', arguments: { action: 'create', name: 'x', dates: ['2026-12-01'], price: 1.5 } },
      { name: 'events', arguments: { action: 'delete', id: 'e1' } },
      { name: 'tickets', arguments: { action: 'buy', date: '2026-12-01', email: 'a@b.example' } },
      { name: 'tickets', arguments: { action: 'buy', date: 5 } },
      {
        name: 'tickets',
        arguments: {
          action: 'upload_photo',
          ticket: 't',
          photo: { text: 'hi', fileName: 'a.png' },
          note: 'n',
        },
      },
    ];
    const boundary = /-{2,}[\w-]*[0-9a-f]{8}[\w-]*/gi;
    for (const call of calls) {
      api.received.length = 0;
      const results = [await imported.executeTool(call), await ejected.executeTool(call)];
      expect(results[1]).toEqual(results[0]);
      const [left, right] = api.received.map(({ method, target, headers, body }) => ({
        method,
        target,
        headers: headers.filter(([name]) => name !== 'content-type' && name !== 'content-length'),
        body: body.toString().replaceAll(boundary, '--boundary'),
      }));
      expect(right).toEqual(left);
    }
  });

  it.each(specifications)('writes the definitions of %s', (name) => {
    const files = ejectOpenAPI(readSpecification(name), { onSkipped: () => {} });
    mkdirSync(join(folder, name));
    for (const [file, text] of files) writeFileSync(join(folder, name, file), text);
    expect(files.size).toBeGreaterThan(2);
  });

  it('writes definitions that the strictest compiler accepts', async () => {
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../../tsconfig.json', include: ['**/*.ts'], exclude: [] }),
    );
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, [compiler, '-p', folder], (_, stdout, stderr) => resolve(stdout + stderr));
    });
    expect(output).toBe('');
  });
});
