import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { RedisServer } from '../stores/redis-server.js';
import { startFront } from './front.js';
import { modernRequest } from '../wire/raw-request.js';

const program = fileURLToPath(new URL('node.ts', import.meta.url));

/** A fake database that records every write and rejects writes with an outdated token. */
async function startLedger() {
  const writes: { account: string; key: string; token: number }[] = [];
  const rejected: string[] = [];
  const highest = new Map<string, number>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const write = JSON.parse(body) as (typeof writes)[number];
      const isStale = write.token <= (highest.get(write.account) ?? 0);
      if (isStale) rejected.push(write.key);
      else {
        writes.push(write);
        highest.set(write.account, write.token);
      }
      response.writeHead(isStale ? 409 : 200).end();
    });
  });
  // A paused node must find its connection still open.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    writes,
    rejected,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export interface FleetNode {
  readonly url: string;
  readonly process: ChildProcess;
}

/** Three nodes as processes, a database, and a load balancer. */
export async function startFleet(redis: RedisServer, users: readonly string[]) {
  const ledger = await startLedger();
  const startNode = async (): Promise<FleetNode> => {
    const child = spawn(process.execPath, ['--import', 'tsx', program], {
      env: {
        ...process.env,
        FLEET_REDIS: redis.url,
        FLEET_LEDGER: ledger.url,
        FLEET_USERS: users.join(','),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()));
      child.once('exit', () => reject(new Error('A node did not start.')));
    });
    return { url, process: child };
  };
  const nodes = await Promise.all([startNode(), startNode(), startNode()]);
  const front = await startFront(() => nodes.map(({ url }) => url));
  return {
    ledger,
    front,
    nodes,
    /** Starts a new node in the place of another. */
    replace: async (index: number) => {
      nodes[index] = await startNode();
    },
    close: async () => {
      for (const { process: child } of nodes) child.kill('SIGKILL');
      await front.close();
      ledger.close();
    },
  };
}

/** A 2025 or 2026 client of the SDK. */
export async function connect(url: string, user: string, mode: 'auto' | 'legacy') {
  const client = new Client({ name: user, version: '1.0.0' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { 'x-api-key': keyOf(user) } },
  });
  await client.connect(transport);
  return { client, transport };
}

/** Sends a 2026-07-28 request of a client with task support, and returns the whole answer. */
export async function askTask(
  url: string,
  user: string,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const headers = { 'x-api-key': keyOf(user) };
  const response = await fetch(url, modernRequest(method, params, { capabilities, headers }));
  return response.json();
}

/** Starts a task on a node and returns its id. */
export async function startTask(url: string, user: string): Promise<string> {
  const answer = await askTask(url, user, 'tools/call', { name: 'work', arguments: {} });
  return (answer as { result: { taskId: string } }).result.taskId;
}

function keyOf(user: string): string {
  return `key-of-${user}`.padEnd(40, 'x');
}
