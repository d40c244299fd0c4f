import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const moduleOf = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

/** Runs the command where the optional peers of `toolfold` are not installed. */
const run = (...args: string[]) => {
  const hook = `export const resolve = (name, context, next) => {
    if (name.startsWith('@modelcontextprotocol/server') || name === '@opentelemetry/api')
      throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
    return next(name, context);
  };`;
  const start = `import { register } from 'node:module'; register(${JSON.stringify(moduleOf(hook))});`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--import', moduleOf(start), 'packages/cli/dist/main.js', ...args],
    { cwd: fileURLToPath(new URL('../../../', import.meta.url)), encoding: 'utf8' },
  );
  return { stdout: stdout.trim(), stderr: stderr.trim(), status };
};

it('names the package to install, and exits with 1', () => {
  expect(run('proxy', '--', 'node')).toEqual({
    stdout: '',
    stderr:
      'toolfold: toolfold proxy needs @modelcontextprotocol/server. Install it beside toolfold: npm install @modelcontextprotocol/server\nIf toolfold is not installed: npx -p toolfold -p @toolfold/cli -p @modelcontextprotocol/server toolfold …',
    status: 1,
  });
});

it('names all packages that the proxy needs before it starts the server', () => {
  const { stderr, status } = run('proxy', '--otel', '--', 'node');
  expect(status).toBe(1);
  expect(stderr).toContain(
    'toolfold proxy needs @modelcontextprotocol/server and @opentelemetry/api. Install them beside toolfold: npm install @modelcontextprotocol/server @opentelemetry/api\n',
  );
  expect(stderr).toContain('-p @modelcontextprotocol/server -p @opentelemetry/api toolfold …');
});

it('calls other servers without them', () => {
  expect(run('inspect', '--', 'node', '-e', '').stderr).not.toContain('npm install');
});
