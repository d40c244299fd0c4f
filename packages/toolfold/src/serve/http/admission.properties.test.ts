import { validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHostCheck } from './admission.js';
import { runs } from '../../../../../test/runs.js';

const allowed = ['localhost', '127.0.0.1', '[::1]', 'app.example', 'vscode-webview://*'];
const part = fc.constantFrom(
  'localhost',
  '127.0.0.1',
  '[::1]',
  'app.example',
  'evil.example',
  'LOCALHOST',
  '127.1',
  '0x7f.1',
  '',
);
const host = fc.oneof(
  fc
    .tuple(part, fc.constantFrom('', ':80', ':3000', ':x', '/', '@evil.example', '.', '%00'))
    .map((parts) => parts.join('')),
  fc.string(),
);
const origin = fc.oneof(
  fc
    .tuple(fc.constantFrom('http://', 'https://', 'vscode-webview://', 'file://', 'null', ''), host)
    .map((parts) => parts.join('')),
  fc.constant(undefined),
);

describe('host and origin', () => {
  it('are allowed only if the SDK allows them, for any values', () => {
    const check = createHostCheck(allowed, allowed);
    fc.assert(
      fc.property(host, origin, (givenHost, givenOrigin) => {
        const isFine =
          validateHostHeader(givenHost, allowed).ok && validateOriginHeader(givenOrigin, allowed).ok;
        if (!isFine) expect(check(givenHost, givenOrigin)?.status).toBe(403);
      }),
      { numRuns: runs(2_000) },
    );
  });
});
