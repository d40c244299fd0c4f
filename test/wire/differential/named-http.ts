/** The same call with other uses of HTTP, and bodies that are not JSON or not HTTP. */
import { BOTH, modern, withHeader } from './http-case.js';
import type { Header, HttpCase, HttpRequest } from './http-case.js';

const call = modern('tools/call', { name: 'echo', arguments: { text: 'hi' } });
const list = modern('tools/list');
const text = String(call.body);
const accepts = (value: string | undefined): HttpRequest =>
  withHeader(call, 'accept', ...(value === undefined ? [] : [value]));
const typed = (...values: readonly string[]): HttpRequest => withHeader(call, 'content-type', ...values);
const withBody = (body: string | Uint8Array, request = call): HttpRequest => ({ ...request, body });
const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const nestedObject = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const bare = (method: string, headers: readonly Header[] = []): HttpRequest => ({ method, headers });

const methods = ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND', 'TRACE'];

const requests: Readonly<Record<string, HttpRequest>> = {
  ...Object.fromEntries(methods.map((method) => [`${method}, nothing else`, bare(method)])),
  ...Object.fromEntries(
    methods.map((method) => [`${method} for events`, bare(method, [['accept', 'text/event-stream']])]),
  ),
  ...Object.fromEntries(
    ['PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => [
      `${method} with the body of a call`,
      { ...call, method },
    ]),
  ),
  'GET with headers of 2026-07-28': { ...withHeader(call, 'content-type'), method: 'GET' } as HttpRequest,
  'CORS preflight': bare('OPTIONS', [
    ['origin', 'https://elsewhere.example'],
    ['access-control-request-method', 'POST'],
  ]),
  'method in small letters': { ...call, method: 'post' },

  'accepts anything': accepts('*/*'),
  'accepts only JSON': accepts('application/json'),
  'accepts only events': accepts('text/event-stream'),
  'accepts only HTML': accepts('text/html'),
  'accepts nothing': accepts(''),
  'no Accept header': accepts(undefined),
  'accepts both with weights': accepts('application/json;q=0.9, text/event-stream;q=0.1'),
  'accepts both in capitals': accepts(BOTH.toUpperCase()),

  'type with a charset': typed('application/json; charset=utf-8'),
  'type with another charset': typed('application/json; charset=latin1'),
  'type in capitals': typed('APPLICATION/JSON'),
  'type in odd case with blanks': typed('Application/Json ; Charset="utf-8"'),
  'type with a broken parameter': typed('application/json; charset'),
  'type with an empty parameter': typed('application/json;'),
  'type that begins alike': typed('application/jsonp'),
  'type with a suffix': typed('application/json+mcp'),
  'type of patches': typed('application/json-patch+json'),
  'type text': typed('text/plain'),
  'type of a form': typed('application/x-www-form-urlencoded'),
  'type of a form that says JSON': typed('text/plain; x=application/json'),
  'no type': typed(),
  'empty type': typed(''),
  'two types': typed('application/json', 'text/plain'),
  'two types in one': typed('application/json, text/plain'),
  'list, type that begins alike': withHeader(list, 'content-type', 'application/jsonp'),

  'no body': { method: 'POST', headers: call.headers },
  'empty body': withBody(''),
  'invalid JSON, and accepts only JSON': withBody('{', accepts('application/json')),
  'blank body': withBody(' \r\n\t '),
  'body null': withBody('null'),
  'body a number': withBody('5'),
  'body a string': withBody('"tools/call"'),
  'body true': withBody('true'),
  'body an empty object': withBody('{}'),
  'body cut short': withBody(text.slice(0, -1)),
  'body with something after it': withBody(`${text}x`),
  'body twice': withBody(text + text),
  'body with a comment': withBody(`/* hi */${text}`),
  'body with single quotes': withBody(text.replaceAll('"', "'")),
  'body with a trailing comma': withBody(`${text.slice(0, -1)},}`),
  'body with blanks around it': withBody(`\r\n ${text}\n\n`),
  'body with NaN': withBody(text.replace('"hi"', 'NaN')),
  'body with a byte order mark': withBody(bytes([0xef, 0xbb, 0xbf], text)),
  'body with two byte order marks': withBody(bytes([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], text)),
  'body in UTF-16': withBody(Buffer.from(text, 'utf16le')),
  'body with a zero': withBody(bytes([0], text)),
  'body with a zero in a string': withBody(bytes(text.replace('hi', 'h\0i'))),
  'body with an escaped zero': withBody(text.replace('hi', String.raw`h\u0000i`)),
  'bytes that are no UTF-8, in a string': withBody(
    bytes(text.split('hi')[0] ?? '', [0xff, 0xfe], text.split('hi')[1] ?? ''),
  ),
  'bytes that are no UTF-8, cut in a character': withBody(
    bytes(text.split('hi')[0] ?? '', [0xe2, 0x82], text.split('hi')[1] ?? ''),
  ),
  'bytes that are no UTF-8, an overlong encoding': withBody(
    bytes(text.split('hi')[0] ?? '', [0xc0, 0xaf], text.split('hi')[1] ?? ''),
  ),
  'bytes that are no UTF-8, half a pair': withBody(
    bytes(text.split('hi')[0] ?? '', [0xed, 0xa0, 0x80], text.split('hi')[1] ?? ''),
  ),
  'half a pair, escaped': withBody(text.replace('hi', String.raw`\ud800`)),
  'text of every plane': withBody(text.replace('hi', 'é 世界 🎉 \u2028')),
  'arguments nested 20 deep': withBody(text.replace('"hi"', nested(20))),
  'arguments nested 100,000 deep': withBody(text.replace('"hi"', nested(100_000))),
  'arguments of objects nested 20,000 deep': withBody(text.replace('"hi"', nestedObject(20_000))),
  '_meta nested 20,000 deep': withBody(
    text.replace('"_meta":{', `"_meta":{"com.example/deep":${nestedObject(20_000)},`),
  ),
  'body nested 100,000 deep and nothing else': withBody(nested(100_000)),
  'body opened 100,000 times and never closed': withBody('['.repeat(100_000)),
  'body of many members': withBody(
    text.replace('"hi"', `{${Array.from({ length: 5_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`),
  ),
  'body above the limit': withBody(text.replace('hi', 'x'.repeat(4 * 1024 * 1024 + 1))),
  'body almost too large': withBody(text.replace('hi', 'x'.repeat(1000 * 1024))),

  'origin of localhost': withHeader(call, 'origin', 'http://localhost:8080'),
  'foreign origin': withHeader(call, 'origin', 'https://evil.example'),
  'origin null': withHeader(call, 'origin', 'null'),
  'origin that begins with localhost': withHeader(call, 'origin', 'http://localhost.evil.example'),
  'origin twice': withHeader(call, 'origin', 'http://localhost', 'https://evil.example'),
  'foreign host': withHeader(call, 'host', 'evil.example'),
  'host with a name before it': withHeader(call, 'host', 'localhost@evil.example'),
  'host of localhost': withHeader(call, 'host', 'localhost:80'),
  'host with letters for a port': withHeader(call, 'host', 'localhost:port'),

  'another path': { ...call, target: '/elsewhere' },
  'the path with a query': { ...call, target: '/mcp?a=b' },
  'the path with a slash': { ...call, target: '/mcp/' },
  'the path with dot segments': { ...call, target: '/x/../mcp' },
  'the whole address': { ...call, target: 'http://localhost/mcp' },
  'length shorter than the body': { ...withHeader(call, 'content-length', '10') },
  'invalid length': withHeader(call, 'content-length', 'many'),
  'length twice': withHeader(call, 'content-length', String(text.length), '5'),
  'negative length': withHeader(call, 'content-length', '-5'),
  'invalid chunks': withHeader(call, 'transfer-encoding', 'chunked'),
  chunks: {
    ...withHeader(call, 'transfer-encoding', 'chunked'),
    body: `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
  },
  'chunks and a length': {
    ...withHeader(withHeader(call, 'transfer-encoding', 'chunked'), 'content-length', '5'),
    body: `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
  },
  'unknown transfer coding': withHeader(call, 'transfer-encoding', 'gzip'),
  'host twice': withHeader(call, 'host', 'localhost', 'evil.example'),
  'header name with a blank': withHeader(call, 'x y', '1'),
  'header value with a zero': withHeader(call, 'x-odd', 'a\0b'),
  'header value with bytes above ASCII': withHeader(call, 'mcp-name', 'échö'),
  'header with a line break smuggled in': withHeader(call, 'x-odd', 'a\r\nmcp-name: add'),
  'header above the limit': withHeader(call, 'x-long', 'x'.repeat(20_000)),
  'two hundred headers': {
    ...call,
    headers: [...call.headers, ...Array.from({ length: 200 }, (_, at): Header => [`x-${at}`, 'y'])],
  },
  'expects 100-continue': withHeader(call, 'expect', '100-continue'),
  'unknown expectation': withHeader(call, 'expect', 'a-miracle'),
};

export const httpCases: readonly HttpCase[] = Object.entries(requests).map(([title, request]) => ({
  title,
  requests: [request],
}));
