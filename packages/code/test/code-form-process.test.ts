/** The sandbox of a server with the code form, in a process of its own. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { modernRequest } from '../../../test/wire/raw-request.js';

const root = new URL('../../../', import.meta.url);
const request = modernRequest('tools/call', {
  name: 'run_code',
  arguments: { code: 'return (await tools.one({})).value' },
});

/** Runs a program that serves the code form, and prints the answer and the errors that the operator sees. */
function serve(before: string, after = '') {
  const program = `
    ${before}
    const { ToolRegistry } = await import('toolfold');
    const { createHandler } = await import('toolfold/web');
    const registry = new ToolRegistry({ name: 'a' }).register({
      name: 'one', description: 'One', readOnly: true, inputSchema: { type: 'object' }, handler: () => ({ value: 41 }),
    });
    const onError = ({ message, hint }) => console.log('operator:', message, hint);
    const handler = createHandler(registry, { view: { form: 'code' }, onError });
    const response = await handler.fetch(new Request('http://localhost/mcp', ${JSON.stringify(request)}));
    console.log('model:', (await response.json()).result.content[0].text);
    ${after}
  `;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: fileURLToPath(root),
    encoding: 'utf8',
    timeout: 110_000,
  });
  return { stdout, stderr, status };
}

const missing = `
  import { register } from 'node:module';
  const hook = \`export const resolve = (name, context, next) => {
    if (name === 'quickjs-wasi') throw Object.assign(new Error('missing'), { code: 'ERR_MODULE_NOT_FOUND' });
    return next(name, context);
  };\`;
  register('data:text/javascript,' + encodeURIComponent(hook));
`;

it.each([
  ['is closed', 'await handler.close();'],
  ['stays open', ''],
])('a process whose server of the code form %s ends by itself', (_, after) => {
  expect(serve('', after)).toEqual({ stdout: 'model: 41\n', stderr: '', status: 0 });
});

it('tells the operator at the start, and the model at the call, which package is missing', () => {
  const { stdout, stderr, status } = serve(missing);
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  expect(stdout).toContain('operator: The code form needs the package "quickjs-wasi".');
  expect(stdout).toContain('npm install quickjs-wasi');
  expect(stdout).toMatch(/model: .*quickjs-wasi/);
});
