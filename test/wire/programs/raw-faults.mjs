/** A server on the official SDK with faults that Toolfold would catch, for the tests of `toolfold test`. */
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const server = new Server({ name: 'raw', version: '1.0.0' }, { capabilities: { tools: {} } });
const tool = (name, more) => ({
  name,
  annotations: { readOnlyHint: true },
  inputSchema: { type: 'object', properties: { id: { type: 'integer', maximum: 1000 } }, required: ['id'] },
  ...more,
});
server.setRequestHandler('tools/list', () => ({
  tools: [
    tool('accepts', {}),
    tool('exits', {}),
    tool('hangs', {}),
    tool('output', {
      outputSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
    }),
    tool('refuses', {}),
    tool('wipes', { annotations: {} }),
  ],
}));
server.setRequestHandler('tools/call', async ({ params }) => {
  const id = params.arguments?.['id'];
  if (params.name === 'exits' && typeof id === 'number' && id > 100) process.exit(1);
  if (params.name === 'hangs' && typeof id === 'number') await new Promise(() => {});
  if (params.name === 'wipes') throw new Error('must not be called');
  if (params.name !== 'accepts' && typeof id !== 'number')
    return { isError: true, content: [{ type: 'text', text: 'id must be a whole number' }] };
  if (params.name === 'refuses') throw new Error('Internal error');
  return { content: [{ type: 'text', text: 'ok' }], structuredContent: { ok: 'yes' } };
});
await server.connect(new StdioServerTransport());
