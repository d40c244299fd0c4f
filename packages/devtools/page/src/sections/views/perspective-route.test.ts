import { expect, test } from 'vitest';
import type { Perspective } from '../../../../src/page-api.js';
import { hiddenRows } from './hidden-rows.js';
import { changePerspective, readPerspective, splitNames, writePerspective } from './perspective-route.js';

test.each<Perspective>([
  {},
  { form: 'flat', profile: 'none', readOnly: true },
  { client: { name: 'cursor*', version: '1.2' } },
  { caller: { clientId: 'a b&c=d', scopes: ['read,write', 'ümlaut/x'], extra: { tenant: 'acme', n: [1] } } },
  { caller: { scopes: [] }, hidesScopes: false },
  { hidesScopes: true, toolsets: ['a'], tools: ['x', 'y'], excludeTools: ['z'] },
])('a link keeps %j', (perspective) => {
  expect(readPerspective(writePerspective(perspective))).toEqual(perspective);
});

test('ignores claims in the address that are not an object', () => {
  expect(readPerspective('extra=%5B1%5D')).toEqual({});
  expect(readPerspective('extra=nonsense')).toEqual({});
});

test('removes what is set to nothing, and a caller without properties', () => {
  const before: Perspective = { form: 'flat', caller: { clientId: 'a' } };
  expect(changePerspective(before, { form: undefined, caller: { clientId: undefined } })).toEqual({});
});

test('reads an address that someone mistyped', () => {
  expect(readPerspective('tools=%25,100%25')).toMatchObject({ tools: ['%', '100%'] });
});

test('splits typed names', () => {
  expect(splitNames(' a, b\nc ')).toEqual(['a', 'b', 'c']);
  expect(splitNames('  ')).toBeUndefined();
});

test('groups hidden actions by reason, the most frequent first', () => {
  const rows = hiddenRows([
    { address: 'a', reasons: ['scope'] },
    { address: 'b', reasons: ['excluded', 'scope'] },
    { address: 'c', reasons: ['scope'] },
  ]);
  expect(rows).toEqual([
    { kind: 'reason', reason: 'scope', count: 2 },
    { kind: 'address', address: 'a', others: [] },
    { kind: 'address', address: 'c', others: [] },
    { kind: 'reason', reason: 'excluded', count: 1 },
    { kind: 'address', address: 'b', others: ['scope'] },
  ]);
});
