import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const moduleOf = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

/** Runs a program where jose is not installed. */
const run = (program: string): string => {
  const hook = `export const resolve = (name, context, next) => {
    if (name === 'jose') throw new Error('jose was asked for');
    return next(name, context);
  };`;
  const start = `import { register } from 'node:module'; register(${JSON.stringify(moduleOf(hook))});`;
  return execFileSync(process.execPath, ['--import', moduleOf(start), '--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    encoding: 'utf8',
  }).trim();
};

it('serves without jose if no tokens are verified', () => {
  const output = run(`
    import { ToolRegistry } from 'toolfold';
    import { serveHttp } from 'toolfold/node';
    import { apiKeys } from 'toolfold/web';
    const auth = apiKeys({ keys: [{ key: 'k'.repeat(40), clientId: 'ci' }] });
    const running = await serveHttp(new ToolRegistry(), { port: 0, auth });
    console.log((await fetch(running.url)).status);
    await running.close();
  `);
  expect(output).toBe('401');
});

it('does not start without jose if tokens are verified, and advises what to do', () => {
  const output = run(`
    import { ToolRegistry } from 'toolfold';
    import { serveHttp } from 'toolfold/node';
    import { oauth } from 'toolfold/web';
    const auth = oauth({ issuer: 'https://auth.example.com', resource: 'https://mcp.example.com/mcp' });
    await serveHttp(new ToolRegistry(), { port: 0, auth }).catch(({ code, message }) => console.log(code, message));
  `);
  expect(output).toBe('ErrInvalidOptions oauth() needs the package jose. Install it: npm install jose');
});
