import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { createTestClient } from '@toolfold/testing';
import * as z from 'zod';
import { menuForm } from './own-form.js';

const registry = new ToolRegistry({ name: 'greeter' }).register({
  name: 'greet',
  description: 'Greets a person',
  inputSchema: z.object({ name: z.string() }),
  handler: ({ input }) => `Hello ${input.name}!`,
});

describe.each(['2025', '2026'] as const)('a form of the author, for a %s client', (era) => {
  const connect = () => createTestClient(registry, { era, server: { view: { form: menuForm } } });

  it('lists its own tools, which name the tools of the view', async () => {
    await using client = await connect();
    const { tools } = await client.sdk.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['show_menu', 'run_operation']);
    const { content } = await client.sdk.callTool({ name: 'show_menu', arguments: {} });
    expect(JSON.parse((content as { text: string }[])[0]?.text ?? '')).toMatchObject([{ name: 'greet' }]);
  });

  it('runs calls with the checks of the called tool', async () => {
    await using client = await connect();
    const run = async (args: Record<string, unknown>): Promise<unknown> => {
      const { content } = await client.sdk.callTool({ name: 'run_operation', arguments: args });
      return (content as { text: string }[])[0]?.text;
    };
    expect(await run({ operation: 'greet', arguments: { name: 'Ada' } })).toBe('Hello Ada!');
    expect(await run({ operation: 'greet' })).toContain('Validation failed: name');
    expect(await run({ operation: 'great' }).catch(String)).toContain('Did you mean "greet"?');
    expect(await run({ operation: 'greet', arguments: 'Ada' }).catch(String)).toBe(
      'Validation failed: arguments: must be an object.',
    );
  });
});
