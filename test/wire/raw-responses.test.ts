import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NoHttp, ResponseReader } from './raw-responses.js';

const withLength = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\r\nx-a: 2\r\n\r\nhello';
const inChunks =
  'HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n';
const announced = 'HTTP/1.1 100 Continue\r\n\r\n';
const without = 'HTTP/1.1 204 No Content\r\n\r\n';
const open = 'HTTP/1.1 202 Accepted\r\n\r\nrest';

it('reads the same responses from any chunks of bytes', () => {
  const bytes = Buffer.from(withLength + announced + inChunks + without + withLength + open);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 30 }), (cuts) => {
      const reader = new ResponseReader();
      let from = 0;
      for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
        reader.push(bytes.subarray(from, cut));
        from = cut;
      }
      expect(reader.count).toBe(4);
      expect(reader.responses.at(-1)?.isWhole).toBe(false);
      reader.end();
      expect(reader.responses.map(({ status, body }) => [status, body.toString()])).toEqual([
        [200, 'hello'],
        [400, 'abcde'],
        [204, ''],
        [200, 'hello'],
        [202, 'rest'],
      ]);
    }),
  );
});

it('joins repeated headers, and reads no body of an answer to HEAD', () => {
  const reader = new ResponseReader((index) => index === 0);
  reader.push(Buffer.from(withLength.replace('hello', '') + inChunks));
  expect(reader.responses[0]).toMatchObject({ status: 200, headers: { 'x-a': '1, 2' }, isWhole: true });
  expect(reader.responses[1]?.body.toString()).toBe('abcde');
});

it('shows the received part of an incomplete response', () => {
  const reader = new ResponseReader();
  reader.push(Buffer.from(inChunks.slice(0, -12)));
  expect(reader.responses).toMatchObject([{ status: 400, isWhole: false, body: Buffer.from('abc') }]);
});

it.each([
  ['words', 'hello\r\n\r\n'],
  ['an invalid length', 'HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n'],
  ['invalid chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ['a header without a name', 'HTTP/1.1 200 OK\r\n: a\r\n\r\n'],
])('rejects %s', (_what, text) => {
  expect(() => new ResponseReader().push(Buffer.from(text))).toThrow(NoHttp);
});
