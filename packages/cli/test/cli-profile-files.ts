import { join } from 'node:path';
import type { McpTool } from '@toolfold/profiles';
import { cases } from '../../../test/wire/rejected-tools.js';

/** The rejected tools as a server without profiles lists them. */
export const tools = cases.map(({ name, inputSchema }) => ({
  name,
  description: `The tool ${name}`,
  inputSchema,
})) as unknown as McpTool[];

/** A server over stdio that lists the tools unchanged, and answers with the name and the arguments of each call. */
const rawServer = `
import { createInterface } from 'node:readline';
const tools = ${JSON.stringify(tools)};
const serverInfo = { name: 'raw', version: '1' };
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: args }) => ({ content: [{ type: 'text', text: JSON.stringify([name, args]) }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = results[method] ? { result: results[method](params) } : { error: { code: -32601, message: 'Unknown' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
}
`;

export const files = {
  'tools.json': JSON.stringify(tools),
  'raw.mjs': rawServer,
  'registry.mjs': `
    import { ToolRegistry } from 'toolfold';
    export const registry = new ToolRegistry({ name: 'rejected', wireNames: 'any' });
    for (const tool of ${JSON.stringify(tools)})
      registry.register({ ...tool, handler: ({ input }) => JSON.stringify(input) });
  `,
  'served.mjs': `
    import { defineServer } from 'toolfold/node';
    import { registry } from './registry.mjs';
    const clients = [{ name: 'cursor', profile: 'gemini', form: 'flat' }, { name: 'codex*', profile: 'codex', maxTools: 2 }];
    export default defineServer({ registry, view: { profile: 'client', form: 'auto', clients } });
  `,
  'fixed.mjs': `
    import { defineServer } from 'toolfold/node';
    import { registry } from './registry.mjs';
    export default defineServer({ registry, view: { profile: 'openai' } });
  `,
  'grouped.mjs': `
    import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
    import * as z from 'zod';
    const handler = ({ input }) => JSON.stringify(input);
    const plan = new GroupedToolBuilder('plan')
      .description('Plans')
      .commonSchema({ workspace: z.string().describe('Workspace') })
      .action({ name: 'list', inputSchema: { 'filter[name]': z.string(), day: z.iso.date().optional() }, handler })
      .action({ name: 'create', aliases: ['make'], inputSchema: { day: z.iso.date(), at: z.tuple([z.number()]) }, handler });
    export const registry = new ToolRegistry({ name: 'plans' }).register(plan, {
      name: 'ping',
      aliases: ['pong'],
      description: 'Pings',
      inputSchema: { 'x[y]': z.number() },
      handler,
    });
  `,
};

/** The command that starts the server \`raw.mjs\` of a folder. */
export const commandIn = (folder: string): string[] => [process.execPath, join(folder, 'raw.mjs')];
