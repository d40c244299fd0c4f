import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';

export const eras = [
  ['2026-07-28', 'auto'],
  ['2025-11-25', 'legacy'],
] as const;
export type Era = (typeof eras)[number][1];

/** Lists the tools, calls them with valid and invalid arguments, answers a question, and calls one that fails. */
export async function checkServer(transport: Transport, version: string, mode: Era): Promise<void> {
  const client = new Client(
    { name: 'smoke', version: '1.0.0' },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { yes: true } }));
  await client.connect(transport);
  try {
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['rooms', 'convert', 'fail']);
    const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const [block] = content;
      return `${isError === true ? 'error: ' : ''}${block?.type === 'text' ? block.text : ''}`;
    };
    expect(await call('rooms', { action: 'book', room: 'Ada', hours: 2 })).toBe('{"booked":"Ada","hours":2}');
    expect(await call('rooms', { action: 'book', room: 'Bob', hours: 2 })).toMatch(/^error: .*room/);
    expect(await call('rooms', { action: 'book', room: 'Ada', hours: 2, minify: false })).toBe(
      '{\n  "booked": "Ada",\n  "hours": 2\n}',
    );
    expect(await call('rooms', { action: 'cancel', room: 'Ada' })).toBe(
      '{"action":"accept","content":{"yes":true}}',
    );
    expect(await call('convert', { minutes: 90 })).toBe('1.5 hours');
    expect(await call('convert', { minutes: 'ninety' })).toMatch(/^error: .*minutes/);
    expect(await call('fail', {})).toMatch(/^error: /);
    // Interleaved calls get their own answers.
    const minutes = Array.from({ length: 20 }, (_, index) => 60 * (index + 1));
    const answers = await Promise.all(minutes.map((count) => call('convert', { minutes: count })));
    expect(answers).toEqual(minutes.map((count) => `${count / 60} hours`));
  } finally {
    await client.close();
  }
}

export async function checkHttp(url: string, version: string, mode: Era): Promise<void> {
  await checkServer(new StreamableHTTPClientTransport(new URL(url)), version, mode);
}
