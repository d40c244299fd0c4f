import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import type { ServeHttpOptions } from 'toolfold/node';

function createRegistry(): ToolRegistry {
  return new ToolRegistry({ name: 'test' }).register({
    name: 'ping',
    description: 'Answers.',
    tags: ['public'],
    inputSchema: z.object({}),
    handler: () => 'pong',
  }) as ToolRegistry;
}

/** What a server reports when it starts. */
async function reportsOf(options: ServeHttpOptions): Promise<string[]> {
  const reports: string[] = [];
  const onError = (error: unknown): void => void reports.push(String((error as Error).message));
  const server = await serveHttp(createRegistry(), { port: 0, onError, ...options });
  await server.close();
  return reports;
}

describe('a server that starts', () => {
  it('warns about a tag that no action has, and names those that exist', async () => {
    const [report] = await reportsOf({ view: { tags: ['publik'] } });
    expect(report).toMatch(/the tag "publik", which no action has.*public.*Did you mean "public"\?/);
    expect(await reportsOf({ view: { anyTags: ['public'], excludeTags: ['internal'] } })).toEqual([]);
  });

  it('warns that other machines cannot call it without allowedHosts', async () => {
    const [report] = await reportsOf({ host: '0.0.0.0' });
    expect(report).toMatch(/listens on 0\.0\.0\.0, but rejects.*allowedHosts/);
    expect(await reportsOf({ host: '0.0.0.0', allowedHosts: ['mcp.example.com'] })).toEqual([]);
    expect(await reportsOf({ host: 'localhost' })).toEqual([]);
  });

  it('names the option for a port that is in use', async () => {
    const first = await serveHttp(createRegistry(), { port: 0 });
    const port = Number(new URL(first.url).port);
    await expect(serveHttp(createRegistry(), { port })).rejects.toMatchObject({
      message: `Port ${port} is already in use. Choose another one with the option port.`,
      code: 'EADDRINUSE',
    });
    await first.close();
  });

  it('suggests the form that a misspelt one is most similar to', async () => {
    await expect(reportsOf({ view: { form: 'grouping' as 'grouped' } })).rejects.toThrow(
      /Did you mean "grouped"\?/,
    );
  });
});

describe('the name of a tool', () => {
  it.each(['my tool!', 'my.tool', 'x'.repeat(65), 'x'.repeat(200)])(
    'is rejected with the same rule, whatever is wrong: %s',
    (name) => {
      const definition = { name, description: 'd', inputSchema: z.object({}), handler: () => 1 };
      expect(() => new ToolRegistry().register(definition)).toThrow(
        /Use at most 64 letters, digits, _ and -\. With wireNames: 'any'/,
      );
    },
  );
});
