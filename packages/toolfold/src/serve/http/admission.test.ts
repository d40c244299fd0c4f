import { isJsonContentType, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rejectMedia } from './request-body.js';
import { createHostCheck } from './admission.js';

const allowed = ['localhost', '127.0.0.1', '[::1]', 'app.example', 'vscode-webview://*'];

describe('host and origin', () => {
  it('are allowed exactly if the SDK allows them, for a host and a port', () => {
    const check = createHostCheck(allowed, allowed);
    const name = fc.constantFrom(
      'localhost',
      '127.0.0.1',
      '[::1]',
      'app.example',
      'evil.example',
      'LOCALHOST',
    );
    const authority = fc.tuple(name, fc.constantFrom('', ':80', ':3000')).map((parts) => parts.join(''));
    const scheme = fc.constantFrom('http://', 'https://', 'vscode-webview://');
    fc.assert(
      fc.property(authority, scheme, authority, (givenHost, givenScheme, from) => {
        const givenOrigin = `${givenScheme}${from}`;
        const isFine =
          validateHostHeader(givenHost, allowed).ok && validateOriginHeader(givenOrigin, allowed).ok;
        expect(check(givenHost, givenOrigin)?.status).toBe(isFine ? undefined : 403);
      }),
    );
  });

  it.each([
    'localhost/evil',
    'evil@localhost',
    'loc%61lhost',
    'localhost?x',
    'localhost#x',
    'local\thost',
    'ｌocalhost',
  ])('are rejected if a URL parser would read another host: %s', (given) => {
    const check = createHostCheck();
    expect(check(given, undefined)?.status).toBe(403);
    expect(check('localhost', `http://${given}`)?.status).toBe(403);
  });

  it.each([
    'evil://localhost',
    'ftp://localhost',
    'file://localhost',
    'chrome-extension://localhost',
    'evil:localhost',
  ])('are rejected if the scheme is not http or https: %s', (given) => {
    expect(createHostCheck()('localhost', given)?.status).toBe(403);
    expect(createHostCheck(undefined, ['localhost', 'vscode-webview://*'])('localhost', given)?.status).toBe(
      403,
    );
  });

  it('are checked against separate lists', () => {
    const check = createHostCheck(['a.example'], ['b.example']);
    expect(check('a.example', 'http://b.example')).toBeUndefined();
    expect(check('a.example', 'http://a.example')?.status).toBe(403);
    expect(check('b.example', 'http://b.example')?.status).toBe(403);
    expect(check(undefined, undefined)?.status).toBe(403);
  });
});

describe('a content type', () => {
  it.each([
    ['application/json', true],
    ['Application/JSON; charset=utf-8', true],
    ['application/json;', true],
    ['application/jsonp', false],
    ['application/json, text/plain', false],
    ['application/json-patch+json', false],
    ['text/plain; application/json', false],
    ['', false],
  ])('%j is JSON: %s, as for the SDK', (type, expected) => {
    expect(rejectMedia((name) => (name === 'content-type' ? type : undefined)) === undefined).toBe(expected);
    expect(isJsonContentType(type)).toBe(expected);
  });
});
