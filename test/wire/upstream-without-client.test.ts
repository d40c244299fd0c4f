import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const moduleOf = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

/** Runs a program where the official client and the sandbox of the code form are not installed. */
const run = (...program: string[]) => {
  const hook = `export const resolve = (name, context, next) => {
    if (name.startsWith('@modelcontextprotocol/client') || name === 'quickjs-wasi')
      throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
    return next(name, context);
  };`;
  const start = `import { register } from 'node:module'; register(${JSON.stringify(moduleOf(hook))});`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--import', moduleOf(start), ...program], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    encoding: 'utf8',
  });
  return { stdout: stdout.trim(), stderr: stderr.trim(), status };
};

const reason =
  'fromMcpServer needs the package @modelcontextprotocol/client. Install it: npm install @modelcontextprotocol/client';

it('names the package to install if the official client is missing', () => {
  const { stdout } = run(
    '--input-type=module',
    '-e',
    `
    import { fromMcpServer } from 'toolfold/node';
    try {
      await fromMcpServer({ command: 'node' })();
    } catch ({ code, message }) {
      console.log(code, message);
    }
  `,
  );
  expect(stdout).toBe(`ErrInvalidOptions ${reason}`);
});

it('names the package on the command line too, and exits with 1', () => {
  expect(run('dist/cli/main.js', 'proxy', '--', 'node')).toEqual({
    stdout: '',
    stderr:
      'toolfold: toolfold proxy needs @modelcontextprotocol/client. Install it beside toolfold: npm install @modelcontextprotocol/client\nIf toolfold is not installed: npx -p toolfold -p @modelcontextprotocol/client -p @modelcontextprotocol/server toolfold …',
    status: 1,
  });
});

it('names all packages that the proxy needs for the code form before it starts the server', () => {
  const { stderr, status } = run('dist/cli/main.js', 'proxy', '--form', 'code', '--', 'node');
  expect(status).toBe(1);
  expect(stderr).toContain(
    'toolfold proxy --form code needs @modelcontextprotocol/client and quickjs-wasi. Install them beside toolfold: npm install @modelcontextprotocol/client quickjs-wasi\n',
  );
  expect(stderr).toContain('-p @modelcontextprotocol/server -p quickjs-wasi toolfold …');
});
