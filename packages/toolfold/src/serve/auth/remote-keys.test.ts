import * as jose from 'jose';
import { afterEach, expect, it, vi } from 'vitest';
import { createKeySource } from './remote-keys.js';

afterEach(() => vi.unstubAllGlobals());

it.each([
  ['share the lookup of the keys', 'Node.js/24', 1],
  ['wait for no lookup of another request on Cloudflare Workers', 'Cloudflare-Workers', 2],
])('concurrent requests %s', (_, userAgent, lookups) => {
  const fetched = vi.fn<() => Promise<Response>>(() => new Promise(() => {}));
  vi.stubGlobal('navigator', { userAgent });
  vi.stubGlobal('fetch', fetched);
  const keyOf = createKeySource(jose, 'https://issuer.example', undefined);
  for (let request = 0; request < 2; request++)
    void keyOf({ alg: 'RS256', kid: 'a' }, { payload: '', signature: '' });
  expect(fetched).toHaveBeenCalledTimes(lookups);
});
