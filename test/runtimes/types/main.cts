// A CommonJS file that TypeScript compiles: `import()` works in all versions, `import x = require()` since TypeScript 5.8 with nodenext.
export async function start(): Promise<number> {
  const { ToolRegistry } = await import('toolfold');
  const { createHandler } = await import('toolfold/web');
  const registry = new ToolRegistry({ name: 'acme' }).register({
    name: 'echo',
    description: 'Echoes',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    handler: ({ input }) => String(input['text']),
  });
  const { content } = await registry.executeTool({ name: 'echo', arguments: { text: 'a' } });
  createHandler(registry);
  return content.length;
}
