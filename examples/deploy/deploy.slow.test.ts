import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const here = fileURLToPath(new URL('./', import.meta.url));
const read = (file: string): string => readFileSync(join(here, file), 'utf8');
const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

const folder = mkdtempSync(join(tmpdir(), 'toolfold-deploy-'));
const children: ChildProcess[] = [];

/** Starts the server of the guide, and returns its port and how to stop it. */
async function startServer(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['--import', 'tsx', join(here, 'http.ts')], {
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const url = await new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      const found = /http:\/\/\S+/.exec(String(chunk))?.[0];
      if (found !== undefined) resolve(found);
    });
  });
  return { port: new URL(url).port, child, exit };
}

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

it('stops within the grace period on the signal that Docker and systemd send', async () => {
  const { child, exit } = await startServer({});
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
});

describe.skipIf(!isInstalled('systemd-analyze'))('my-server.service', () => {
  it('is a valid unit', () => {
    const unit = join(folder, 'my-server.service');
    writeFileSync(unit, read('my-server.service').replace('/usr/bin/node', process.execPath));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], {
      encoding: 'utf8',
    });
    expect({
      status,
      stderr: stderr.replaceAll(/^.*(?:\/usr\/lib|\/lib|\/etc)\/systemd\/.*\n/gm, ''),
    }).toEqual({
      status: 0,
      stderr: '',
    });
  });

  it('gives the server longer to stop than the server takes at most', () => {
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(read('my-server.service'))?.[1]);
    const graceMs = Number(/graceMs: ([\d_]+)/.exec(read('server.ts'))?.[1]?.replaceAll('_', ''));
    expect(seconds * 1_000).toBeGreaterThan(graceMs);
  });
});

describe.skipIf(!isInstalled('nginx'))('nginx.conf', () => {
  const socket = join(folder, 'nginx.sock');
  let nginx: ChildProcess;

  /** Sends a request through nginx. `onChunk` gets the parts of the response as they arrive. */
  async function send(
    body: object,
    headers: Readonly<Record<string, string>> = {},
    onChunk?: (chunk: string) => void,
  ) {
    return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const sent = request(
        {
          socketPath: socket,
          path: '/mcp',
          method: 'POST',
          rejectUnauthorized: false,
          headers: {
            host: 'mcp.example.com',
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...headers,
          },
        },
        (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => {
            text += String(chunk);
            onChunk?.(String(chunk));
          });
          response.on('end', () => resolve({ status: response.statusCode, text }));
        },
      );
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
  }

  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'greet',
      arguments: { who: 'Ada' },
      _meta: {
        progressToken: 'p',
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      },
    },
  };
  const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'greet' };

  beforeAll(async () => {
    const { port } = await startServer({ ALLOWED_HOSTS: 'mcp.example.com', TRUSTED_PROXIES: '1' });
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=mcp.example.com', '-days', '1', '-keyout', key, '-out', certificate];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject], {
      stdio: 'ignore',
    });
    const site = read('nginx.conf')
      .replace('127.0.0.1:3000', `127.0.0.1:${port}`)
      .replace('listen 443 ssl', `listen unix:${socket} ssl`)
      .replace(/ssl_certificate \S+;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${join(folder, kind)};`,
    );
    const config = join(folder, 'nginx.conf');
    writeFileSync(
      config,
      `pid ${join(folder, 'nginx.pid')}; error_log stderr; daemon off; master_process off; events {}
http { access_log off; ${temporary.join(' ')} ${site} }`,
    );
    execFileSync('nginx', ['-t', '-q', '-p', folder, '-c', config], { stdio: 'pipe' });
    nginx = spawn('nginx', ['-p', folder, '-c', config], { stdio: 'ignore' });
    children.push(nginx);
    await vi.waitFor(() => send({}), { timeout: 20_000 });
  });

  it('passes calls and their streams to the server', async () => {
    const { status, text } = await send(call, modern);
    expect(status).toBe(200);
    expect(text).toContain('notifications/progress');
    expect(text).toContain('Hello Ada');
  });

  it('passes on the host, which the server checks', async () => {
    const { status } = await send(call, { ...modern, host: 'evil.example' });
    expect(status).toBe(403);
  });

  it('rejects larger bodies than the server takes', async () => {
    const large = { ...call, padding: 'x'.repeat(1024 * 1024) };
    expect((await send(large, modern)).status).toBe(413);
  });
});
