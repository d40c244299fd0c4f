import { expect, test } from 'vitest';
import { schemaPlace } from './finding-places.js';

test.each([
  ['/inputSchema/properties/limit/description', '/inputSchema/properties/limit'],
  ['/inputSchema/properties', '/inputSchema'],
  ['/inputSchema/properties/properties', '/inputSchema/properties/properties'],
  ['/inputSchema/properties/a/items/enum/0', '/inputSchema/properties/a/items'],
  ['/inputSchema/$defs/Money/anyOf/1/type', '/inputSchema/$defs/Money/anyOf/1'],
  ['/outputSchema', '/outputSchema'],
  ['/description', undefined],
  ['', undefined],
])('the place of %s is %s', (pointer, place) => {
  expect(schemaPlace(pointer)).toBe(place);
});
