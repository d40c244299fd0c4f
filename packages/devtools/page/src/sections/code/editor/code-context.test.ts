import { CompletionContext } from '@codemirror/autocomplete';
import { javascriptLanguage } from '@codemirror/lang-javascript';
import { EditorState } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { DeclarationIndex } from '../declarations.js';
import { argumentAt, callAt, pathAt } from './code-context.js';
import { completeCode } from './complete-code.js';

const field = (name: string, type = 'string', isRequired = false) => ({ name, type, isRequired });

const index = new DeclarationIndex([
  {
    path: 'shop.orders.list',
    address: 'shop/orders.list',
    signature: 'tools.shop.orders.list({ customer: string })',
    description: 'Lists the orders of a customer.',
    fields: [field('customer', 'string', true), field('state', '"open" | "closed"'), field('odd name')],
  },
  { path: 'shop.orders.count', address: 'shop/orders.count', signature: 'x', fields: [] },
  { path: 'shop.open', address: 'shop/open', signature: 'x', fields: [] },
  { path: 'ping', address: 'ping', signature: 'x', fields: [] },
]);

/** The state of a text in which `|` is the cursor. */
function stateOf(text: string): { readonly state: EditorState; readonly position: number } {
  const position = text.indexOf('|');
  const doc = text.replace('|', '');
  return { state: EditorState.create({ doc, extensions: [javascriptLanguage] }), position };
}

function complete(text: string, explicit = false) {
  const { state, position } = stateOf(text);
  const result = completeCode(index, new CompletionContext(state, position, explicit));
  return result && { labels: result.options.map(({ label }) => label), from: result.from, position };
}

describe('completion of paths', () => {
  it('offers one level after another', () => {
    expect(complete('await tools.|')?.labels).toEqual(['shop', 'ping']);
    expect(complete('await tools.shop.|')?.labels).toEqual(['orders', 'open']);
    expect(complete('tools.shop.orders.li|')?.labels).toEqual(['list', 'count']);
    expect(complete('tools\n  .shop\n  .|')?.labels).toEqual(['orders', 'open']);
  });

  it('replaces only the name that is being typed', () => {
    const found = complete('tools.shop.orders.li|');
    expect(found && found.position - found.from).toBe(2);
  });

  it('offers nothing below a path that does not exist', () => {
    expect(complete('tools.nope.|')?.labels).toEqual([]);
  });

  it('finds a function by any part of its path', () => {
    expect(complete('const x = await cou|')?.labels).toEqual(['tools.shop.orders.count']);
    expect(complete('c|')).toBeNull();
    expect(complete('answer.cou|')).toBeNull();
  });
});

describe('completion of arguments', () => {
  it('offers the fields that the object does not have yet', () => {
    expect(complete('tools.shop.orders.list({ | })')?.labels).toEqual(['customer', 'state', 'odd name']);
    expect(complete('tools.shop.orders.list({|')?.labels).toEqual(['customer', 'state', 'odd name']);
    expect(complete("tools.shop.orders.list({ customer: 'c1', s| })")?.labels).toEqual(['state', 'odd name']);
    expect(complete("tools.shop.orders.list({ 'odd name': 1, | })")?.labels).toEqual(['customer', 'state']);
  });

  it('offers the values that a field lists', () => {
    expect(complete('tools.shop.orders.list({ state: | })')?.labels).toEqual(['"open"', '"closed"']);
    const inString = complete('tools.shop.orders.list({ state: "o|" })');
    expect(inString?.labels).toEqual(['"open"', '"closed"']);
    expect(inString?.from).toBe('tools.shop.orders.list({ state: '.length);
    expect(complete('tools.shop.orders.list({ customer: "o|" })')).toBeNull();
  });

  it('offers no fields in other objects', () => {
    expect(complete('other.call({ | })')).toBeNull();
    expect(complete('tools.shop.orders.list({ customer: { | } })')).toBeNull();
    expect(complete('tools.shop.orders.list(() => ({ | }))')).toBeNull();
  });
});

describe('the function at a position', () => {
  it('is the one whose name is there', () => {
    const { state, position } = stateOf('await tools.shop.orders.li|st({})');
    expect(pathAt(state, position)).toEqual({ path: 'shop.orders.list', from: 24, to: 28 });
    const inner = stateOf('await tools.sh|op.orders.list({})');
    expect(pathAt(inner.state, inner.position)?.path).toBe('shop');
    const other = stateOf('await thing.sh|op()');
    expect(pathAt(other.state, other.position)).toBeUndefined();
  });

  it('is the innermost call around the cursor', () => {
    const { state, position } = stateOf('tools.shop.open(await tools.shop.orders.list({ customer: "|" }))');
    expect(callAt(state, position)).toBe('shop.orders.list');
    const outside = stateOf('const a = |1');
    expect(callAt(outside.state, outside.position)).toBeUndefined();
  });

  it('is known while its argument is written', () => {
    const { state, position } = stateOf('tools.shop.orders.list({ customer: |');
    expect(argumentAt(state, position)).toMatchObject({ path: 'shop.orders.list', property: 'customer' });
  });
});
