import { expect, it } from 'vitest';
import { steps } from '../scripts/docs-errors.js';
import * as errors from '../packages/schema/src/errors.js';
import { ErrorHandler } from 'toolfold';
import { toRpcError } from '../packages/toolfold/src/protocol/rpc-error.js';
import { rejectClient } from '../packages/toolfold/src/serve/http/edge.js';

const classes = { ...errors };
const make = (code: keyof typeof steps): errors.ToolfoldError => new classes[code]('What went wrong.');
const seenAs = (pattern: RegExp): (keyof typeof steps)[] =>
  (Object.keys(steps) as (keyof typeof steps)[]).filter((code) => pattern.test(steps[code][0]));

it('describes the answer for every error that is not for authors', () => {
  const codes = Object.entries(errors.errorTable).flatMap(([code, { audience }]) =>
    audience === 'author' ? [] : [code],
  );
  expect(Object.keys(steps).toSorted()).toEqual(codes.toSorted());
});

it.each(seenAs(/a result with `isError`/))('%s is a result with isError, as the page states', (code) => {
  const result = new ErrorHandler().handleError(make(code));
  expect(result).toMatchObject({ isError: true, _meta: { 'toolfold/error': { code } } });
});

it.each(seenAs(/^JSON-RPC/))('%s has the JSON-RPC code that the page states', (code) => {
  const [, stated] = /^JSON-RPC (-\d+)/.exec(steps[code][0]) ?? [];
  expect(toRpcError(make(code), undefined).code).toBe(Number(stated));
});

it.each(seenAs(/^HTTP 400/))('%s of a request is answered with 400', (code) => {
  const { status, body } = rejectClient(make(code), 1);
  expect(status).toBe(400);
  expect(JSON.parse(String(body))).toMatchObject({ error: { code: -32_602 } });
});
