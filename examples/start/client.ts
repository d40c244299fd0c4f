import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const url = new URL(process.argv[2] ?? 'http://127.0.0.1:3000/mcp');
for (const mode of ['auto', 'legacy'] as const) {
  const client = new Client(
    { name: 'example', version: '1.0.0' },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
  );
  // This client's user is called Ada.
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept',
    content: { name: 'Ada' },
  }));
  await client.connect(new StreamableHTTPClientTransport(url));
  const { content } = await client.callTool({ name: 'book_room', arguments: { room: 'north' } });
  console.log(client.getNegotiatedProtocolVersion(), content);
  await client.close();
}
