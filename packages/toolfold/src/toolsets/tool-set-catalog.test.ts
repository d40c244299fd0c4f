import { describe, expect, it } from 'vitest';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { ErrInvalidCatalog } from '@toolfold/schema/errors';
import { dynamicToolNames, readCatalog } from './tool-set-catalog.js';
import type { CatalogRules, ToolSetCatalog } from './tool-set-catalog.js';

const loader = () => [];
const toolset = (more: object = { modules: ['users'] }) => ({
  name: 'Users',
  description: 'About users',
  ...more,
});
const read = (catalog: unknown, loaders: unknown = { users: loader }, rules: CatalogRules = {}) =>
  readCatalog(catalog as ToolSetCatalog, loaders as never, rules);

describe('a catalog', () => {
  it('keeps the order of its toolsets, which may share a module', () => {
    const catalog = read({ users: toolset(), admins: toolset() });
    expect([...catalog.keys()]).toEqual(['users', 'admins']);
  });

  it('[S003-51] must name existing modules', () => {
    expect(() => read({ users: toolset({ modules: ['user'] }) })).toThrow(
      'Toolset "users" names the module "user", which does not exist. Did you mean "users"?',
    );
    for (const module of ['constructor', '__proto__', 'toString'])
      expect(() => read({ users: toolset({ modules: ['users', module] }) })).toThrow('does not exist');
  });

  it('[S003-51] must have a toolset for every module', () => {
    expect(() => read({ users: toolset() }, { users: loader, billing: loader })).toThrow(
      'Module "billing" is in no toolset',
    );
  });

  it.each(['__proto__', 'constructor', 'prototype', '_meta', '', 'a b', 'a,b', 'a/b', '-a', 'x'.repeat(65)])(
    'cannot have a toolset with the key "%s"',
    (key) => {
      const catalog = Object.fromEntries([[key, toolset()]]);
      expect(() => read(catalog)).toThrow(ErrInvalidCatalog);
    },
  );

  it.each([
    ['a toolset that is not an object', { users: 'x' }, 'needs a name and a description'],
    ['a toolset without a name', { users: toolset({ name: ' ' }) }, 'needs a name and a description'],
    ['a toolset without tools', { users: toolset({}) }, 'it needs tools or modules'],
    ['a misspelled option', { users: toolset({ module: ['users'] }) }, 'Did you mean "modules"?'],
    ['one module instead of a list', { users: toolset({ modules: 'users' }) }, 'modules must be a list'],
    ['tools that are not objects', { users: toolset({ tools: [null] }) }, 'tools must be a list of tools'],
    [
      'criteria that are not a string',
      { users: toolset({ tools: [], decisionCriteria: 1 }) },
      'decisionCriteria',
    ],
  ])('is rejected with %s', (_, catalog, message) => {
    expect(() => read(catalog)).toThrow(message);
  });
});

describe('the static tools of a toolset', () => {
  const tool = (more: object = {}) => ({
    name: 'list',
    description: 'Lists',
    handler: () => 'list',
    ...more,
  });
  const builder = new GroupedToolBuilder('platform').action({ name: 'list', handler: () => 'list' });
  const readTools = (tools: readonly unknown[], rules?: CatalogRules) =>
    read({ users: toolset({ tools }) }, {}, rules);

  it.each([
    ['without a name', [tool({ name: undefined })], 'one of its tools has no name'],
    ['without a handler', [tool({ handler: undefined })], 'the tool "list" has no handler'],
    ['of one name', [tool(), tool()], 'two of its tools are called "list"'],
  ])('are rejected %s', (_, tools, message) => {
    expect(() => readTools(tools)).toThrow(`Toolset "users": ${message}.`);
    expect(() => readTools(tools)).toThrow(ErrInvalidCatalog);
  });

  it('may be builders, and the same one twice', () => {
    const one = tool();
    expect(() => readTools([builder, one, one])).not.toThrow();
    expect(() => read({ a: toolset({ tools: [one] }), b: toolset({ tools: [tool()] }) }, {})).not.toThrow();
  });

  it('cannot be builders if tools are prefixed with the keys of their toolsets', () => {
    expect(() => readTools([builder], { isNamespaced: true })).toThrow('"platform" cannot be renamed');
    expect(() => readTools([tool()], { isNamespaced: true })).not.toThrow();
  });

  it('cannot have a reserved name, including the prefix', () => {
    const rules = { reserved: dynamicToolNames };
    for (const name of dynamicToolNames)
      expect(() => readTools([tool({ name })], rules)).toThrow(`no tool can be called "${name}"`);
    expect(() => readTools([tool({ name: 'list_tools' })], { ...rules, isNamespaced: true })).not.toThrow();
    const list = { list: toolset({ tools: [tool({ name: 'tools' })] }) };
    expect(() => read(list, {}, { ...rules, isNamespaced: true })).toThrow(
      'no tool can be called "list_tools"',
    );
  });
});
