import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { securityHeaders } from '../../src/http/guard.js';
import { expectAccessible, openPage, tabTo, takeProblems } from './browser.js';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Serves a page with the policy of the real one. */
async function serve(body: string, script = ''): Promise<string> {
  const server = createServer(({ url }, response) => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    if (url === '/icon' || url === '/favicon.ico') return void response.writeHead(204).end();
    response.setHeader('content-type', url === '/script.js' ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(
      url === '/script.js'
        ? script
        : `<!doctype html><html lang="en"><title>Test</title><script type="module" src="/script.js"></script><main>${body}</main></html>`,
    );
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('The harness of the browser tests', () => {
  it('checks a page with axe under the strict policy of the page', async () => {
    const page = await openPage(await serve('<h1>Title</h1><button>Press</button>'));
    await expectAccessible(page);
  });

  it('finds what axe finds', async () => {
    const page = await openPage(await serve('<h1>Title</h1><button></button>'));
    await expect(expectAccessible(page)).rejects.toThrow('button-name');
  });

  it('reaches elements with the keyboard', async () => {
    const page = await openPage(
      await serve('<h1>Title</h1><button>One</button><button id="two">Two</button>'),
    );
    await tabTo(page, '#two');
    await expect(tabTo(page, '#missing', 3)).rejects.toThrow('no focus');
  });

  it('reports what violates the policy, what the page logs, and requests to other hosts', async () => {
    const script = `console.error('broken'); fetch('http://127.0.0.1:9/').catch(() => {});`;
    const page = await openPage(await serve('<h1 onclick="1">Title</h1>', script));
    await page.locator('h1').click();
    const problems: string[] = [];
    for (const expected of [
      'content security policy: script-src-attr',
      'console.error: broken',
      'connect-src',
    ])
      await expect
        .poll(() => {
          problems.push(...takeProblems(page));
          return problems.join('\n');
        })
        .toContain(expected);
    await page.close();
    takeProblems(page);
  });
});
