/** A short run of `npm run soak`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { ModernCaller } from '../../scripts/soak/caller.js';
import { soak } from '../../scripts/soak/run.js';

it(
  'gives 160 sessions and 40 stateless callers with the same ids their own answers',
  { timeout: 120_000 },
  async () => {
    const { mixedUp, failures, ...facts } = await soak({ seconds: 3, sessions: 160, moderns: 40, width: 3 });
    expect(mixedUp).toEqual([]);
    expect(failures).toEqual([]);
    // Every caller has called, has been asked, and has received progress.
    expect(facts.calls).toBeGreaterThanOrEqual(1_200);
    expect(facts.questions).toBeGreaterThan(50);
    expect(facts.steps).toBeGreaterThan(200);
  },
);

it('detects an answer of another caller', async () => {
  // A faulty server that answers every request with the text of the previous request.
  let before = 'nobody';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
      id: number;
      params: { arguments: { text: string } };
    };
    const result = { content: [{ type: 'text', text: before }], resultType: 'complete' };
    before = params.arguments.text;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const caller = new ModernCaller(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const first = await caller.call(1, { tool: 'echo', text: 'first', ms: 0 });
  const second = await caller.call(1, { tool: 'echo', text: 'second', ms: 0 });
  expect([first.mixedUp.length, second.mixedUp.length]).toEqual([1, 1]);
  expect(second.mixedUp[0]).toContain('"got":"first"');
  expect((await caller.call(1, { tool: 'steps', text: 'second', count: 2 })).failed).toContain('0 steps');
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});
