// Registers ordinary tools, lists them and calls each of them, and writes a heap snapshot after each step:
// node heap-process.mjs <tools> <module with ToolRegistry and createHandler> <folder for the snapshots>
import { join } from 'node:path';
import { writeHeapSnapshot } from 'node:v8';
import { answer, loadCatalog } from './http/work.mjs';

const [count = '', module = '', folder = ''] = process.argv.slice(2);
/** @type {typeof import('toolfold') & typeof import('toolfold/web')} */
const { ToolRegistry, createHandler } = await import(module);
const { sample } = await loadCatalog('ordinary-1');

/** `heap.mjs` finds these two objects in a snapshot by the names of their classes. */
class AuthorRoot {
  /** @type {readonly import('./http/work.mjs').Tool[]} */
  tools = [];
}
class ToolfoldRoot {
  registry = new ToolRegistry({ name: 'bench', rateLimiter: false });
  handler = createHandler(this.registry, { requestLimit: { requests: 1e9, windowMs: 60_000 } });
}

/**
 * @param {ToolfoldRoot} root
 * @param {'tools/list' | 'tools/call'} method
 * @param {string} [name]
 */
async function ask({ handler }, method, name) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { ...(name === undefined ? {} : { name, arguments: sample.input }), _meta: meta };
  const response = await handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(name === undefined ? {} : { 'mcp-name': name }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    }),
  );
  const { result } = /** @type {any} */ (await response.json());
  if (!result || result.isError === true) throw new Error(`${method} failed.`);
}

/**
 * @param {number} tools
 * @param {(step: string) => void} onStep
 */
async function run(tools, onStep) {
  onStep('start');
  const author = new AuthorRoot();
  author.tools = (await loadCatalog(`ordinary-${tools}`)).tools;
  onStep('schemas');
  const root = new ToolfoldRoot();
  root.registry.register(
    ...author.tools.map(({ name, description, schema }) => ({
      name,
      description,
      inputSchema: schema,
      handler: (/** @type {{ input: object }} */ { input }) => answer(input),
    })),
  );
  onStep('register');
  await ask(root, 'tools/list');
  onStep('list');
  for (const { name } of author.tools) await ask(root, 'tools/call', name);
  onStep('call');
  // Keeps both until the last snapshot was written.
  return [author, root];
}

// The first tools of a process also pay for compiled code.
await run(200, () => {});
await run(Number(count), (step) => {
  writeHeapSnapshot(join(folder, `${step}.heapsnapshot`));
});
