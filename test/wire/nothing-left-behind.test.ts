/** All resources of a request are released when it ends, in any way. */
import { expect, it, vi } from 'vitest';
import { createHandler } from 'toolfold/web';
import type { HandlerOptions } from 'toolfold/web';
import { createRegistry } from './differential/catalog.js';
import {
  handshake,
  inSession,
  initialize,
  legacyHeaders,
  modern,
  post,
  withHeader,
} from './differential/http-case.js';
import type { HttpRequest } from './differential/http-case.js';
import { sendByFetch } from './differential/send.js';

const message = (method: string, params?: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  ...(params === undefined ? {} : { params }),
});

const code: HandlerOptions = { view: { form: 'code', code: { allow: 'write' } } };
const runCode = (source: string) => ({ name: 'run_code', arguments: { code: source } });

it.each<[string, readonly HttpRequest[], HandlerOptions?]>([
  ['a stream that was left', [modern('subscriptions/listen', { notifications: { toolsListChanged: true } })]],
  ['a list', [modern('prompts/list')]],
  ['a call with progress', [modern('tools/call', { name: 'steps' }, { progressToken: 1 })]],
  ['an unknown method', [modern('nobody/does')]],
  ['a header that is missing', [withHeader(modern('prompts/list'), 'mcp-method')]],
  [
    'a parameter header that is missing',
    [modern('tools/call', { name: 'route', arguments: { region: 'eu' } })],
  ],
  [
    'a notification',
    [post(modern('notifications/unheard').headers, { jsonrpc: '2.0', method: 'notifications/unheard' })],
  ],
  ['a handshake without params', [post(legacyHeaders, message('initialize'))]],
  [
    'a handshake without a client',
    [post(legacyHeaders, message('initialize', { protocolVersion: '2025-11-25' }))],
  ],
  [
    'a handshake of a client that does not accept events',
    [withHeader(initialize(), 'accept', 'application/json')],
  ],
  ['a call without a session', [post(legacyHeaders, message('tools/list'))]],
  [
    'a session that has ended',
    [...handshake(), post(inSession(), message('tools/list')), { method: 'DELETE', headers: inSession() }],
  ],
  ['a run of code', [modern('tools/call', runCode('return await tools.steps()'))], code],
  ['a run of code that fails', [modern('tools/call', runCode('tools.steps(); nothing()'))], code],
  [
    'a session with a run of code',
    [
      ...handshake(),
      post(inSession(), message('tools/call', runCode('await tools.steps()'))),
      { method: 'DELETE', headers: inSession() },
    ],
    code,
  ],
])('nothing stays in memory of %s', async (_what, requests, options) => {
  const registry = createRegistry();
  // Every resource that lives longer than a request listens for changes of the registry.
  let listeners = 0;
  const onChange = registry.onChange.bind(registry);
  registry.onChange = (listener) => {
    const stop = onChange(listener);
    const own = { isHeard: true };
    listeners++;
    return () => {
      if (own.isHeard) listeners--;
      own.isHeard = false;
      stop();
    };
  };
  const handler = createHandler(registry, options);
  const before = listeners;
  for (let times = 0; times < 5; times++) {
    let session: string | undefined;
    for (const request of requests) {
      const response = await sendByFetch((web) => handler.fetch(web), request, session);
      session = response?.headers['mcp-session-id'] ?? session;
    }
  }
  await vi.waitFor(() => expect(listeners).toBe(before), { timeout: 2_000 });
  await handler.close();
});
