// CommonJS: `require` loads ES modules in Node 20.19, 22.12 and later.
const { ToolRegistry } = require('toolfold');
const { createHandler } = require('toolfold/web');
const { serveHttp } = require('toolfold/node');

const registry = new ToolRegistry({ name: 'cjs' }).register({
  name: 'echo',
  description: 'Echoes',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  handler: ({ input }) => input.text,
});

module.exports = (async () => {
  // Older versions of Node, and bundlers that compile to CommonJS, load it with `import`.
  const imported = await import('toolfold');
  const { content } = await registry.executeTool({ name: 'echo', arguments: { text: 'hello' } });
  const kinds = [typeof createHandler, typeof serveHttp, imported.ToolRegistry === ToolRegistry];
  console.log(JSON.stringify([content[0].text, ...kinds]));
})();
