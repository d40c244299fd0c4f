import { describe, expect, it } from 'vitest';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { defineServer } from 'toolfold/node';
import type { ServerDescription } from 'toolfold/node';
import { CommandError } from '@toolfold/analysis/internal';
import { findServer } from './load-module.js';

const [a, b, c] = ['a', 'b', 'c'].map((name) => new ToolRegistry({ name })) as [
  ToolRegistry,
  ToolRegistry,
  ToolRegistry,
];
const builder = (name: string): GroupedToolBuilder =>
  new GroupedToolBuilder(name).description(name).action({ name: 'x', inputSchema: {}, handler: () => 1 });

describe('the server among the exports of a file', () => {
  it.each([
    [{ default: a, registry: b, other: c }, a, 'default'],
    [{ registry: b, other: c }, b, 'registry'],
    [{ anything: c, text: 'x' }, c, 'anything'],
    [{ registry: a, again: a }, a, 'registry'],
    [{ server: a, tool: builder('t') }, a, 'server'],
  ])('is the registry: %#', (exports, expected, found) => {
    expect(findServer('f.ts', exports)).toMatchObject({ registry: expected, found });
  });

  it('is recognised by its methods if it comes from another copy of the package', () => {
    const foreign = { name: 'f', executeTool() {}, listTools() {}, routeCall() {} };
    expect(findServer('f.ts', { foreign }).registry).toBe(foreign);
  });

  it('is made of builders if there is no registry', () => {
    const { registry, found } = findServer('f.ts', { one: builder('one'), two: builder('two') });
    expect(registry.listTools().map(({ name }) => name)).toEqual(['one', 'two']);
    expect(found).toBe('one, two');
  });

  it.each([
    ['defineServer', defineServer],
    ['a plain object', (description: ServerDescription) => description],
  ])('comes with its view, its toolsets and its options from %s', (_, define) => {
    const [view, toolsets] = [{ form: 'search' }, { catalog: {}, startup: { mode: 'STATIC' } }] as const;
    const server = define({ registry: a, view, toolsets, scopes: 'hide', http: { port: 4000 } });
    expect(findServer('f.ts', { registry: b, default: server })).toMatchObject({
      registry: a,
      found: 'default',
      view,
      config: toolsets,
      scopes: 'hide',
      server: { http: { port: 4000, view }, stdio: { view } },
    });
  });

  it('rejects toolsets that no server serves', () => {
    const toolsets = { catalog: {}, startup: { mode: 'STATIC' } };
    expect(() => findServer('f.ts', { registry: a, toolsets })).toThrow(
      'f.ts exports the toolsets toolsets beside a registry. Write: export default defineServer({ registry: registry, toolsets: toolsets })',
    );
  });

  it('is missing with an explanation', () => {
    expect(() => findServer('f.ts', { a, b })).toThrow(CommandError);
    expect(() => findServer('f.ts', { a, b })).toThrow('exports several registries: a, b');
    expect(() => findServer('f.ts', { default: () => a })).toThrow('export const registry = create()');
  });
});
