import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { ToolDefinition } from 'toolfold';
import { ToolfoldError } from 'toolfold/errors';
import { Tool } from 'toolfold/model';
import { fromMcpServer } from '@toolfold/gateway';
import { serveHttp, serveStdio, toNodeListener } from 'toolfold/node';
import { createHandler } from 'toolfold/web';
import * as z from 'zod';

const users = new GroupedToolBuilder('users').commonSchema(z.object({ workspace: z.string() })).action({
  name: 'ban',
  inputSchema: z.object({ id: z.string(), days: z.number().optional() }),
  handler: ({ input, context }) => {
    const [id, days, workspace]: [string, number | undefined, string] = [
      input.id,
      input.days,
      input.workspace,
    ];
    // @ts-expect-error: the input has no such field.
    void input.reason;
    const signal: AbortSignal = context.signal;
    return `${id} ${days} ${workspace} ${signal.aborted}`;
  },
});
const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' }).register(users, {
  name: 'echo',
  description: 'Echoes',
  inputSchema: z.object({ text: z.string() }),
  handler: ({ input }) => input.text,
});

export const definition: ToolDefinition = {
  name: 'plain',
  description: 'Plain',
  inputSchema: { type: 'object' },
  handler: () => 'ok',
};
export const start = async (): Promise<string> => (await serveHttp(registry, { port: 0 })).url;
export const handler = createHandler(registry, { allowedHosts: ['example.com'] });
export const listener = toNodeListener(handler);
export const all: unknown[] = [serveStdio, fromMcpServer, Tool, ToolfoldError];
