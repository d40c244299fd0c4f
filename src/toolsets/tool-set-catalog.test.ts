import { describe, expect, it } from 'vitest';
import { ErrInvalidCatalog } from '../errors.js';
import { readCatalog } from './tool-set-catalog.js';
import type { ToolSetCatalog } from './tool-set-catalog.js';

const loader = () => [];
const toolset = (more: object = { modules: ['users'] }) => ({
  name: 'Users',
  description: 'About users',
  ...more,
});
const read = (catalog: unknown, loaders: unknown = { users: loader }) =>
  readCatalog(catalog as ToolSetCatalog, loaders as never);

describe('a catalog', () => {
  it('keeps the order of its toolsets, which may share a module', () => {
    const catalog = read({ users: toolset(), admins: toolset() });
    expect([...catalog.keys()]).toEqual(['users', 'admins']);
  });

  it('[S003-51] must name modules that are there', () => {
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
    'has no toolset with the key "%s"',
    (key) => {
      const catalog = Object.fromEntries([[key, toolset()]]);
      expect(() => read(catalog)).toThrow(ErrInvalidCatalog);
    },
  );

  it.each([
    ['nothing', undefined, 'A catalog is an object'],
    ['a list', [toolset()], 'A catalog is an object'],
    ['a toolset that is none', { users: 'x' }, 'needs a name and a description'],
    ['a toolset without a name', { users: toolset({ name: ' ' }) }, 'needs a name and a description'],
    ['a toolset without tools', { users: toolset({}) }, 'it needs tools or modules'],
    ['a slip', { users: toolset({ module: ['users'] }) }, 'Did you mean "modules"?'],
    ['one module instead of a list', { users: toolset({ modules: 'users' }) }, 'modules must be a list'],
    ['tools that are none', { users: toolset({ tools: [null] }) }, 'tools must be a list of tools'],
    ['criteria that are no text', { users: toolset({ tools: [], decisionCriteria: 1 }) }, 'decisionCriteria'],
  ])('is refused with %s', (_, catalog, message) => {
    expect(() => read(catalog)).toThrow(message);
  });

  it('needs loaders that are functions', () => {
    expect(() => read({ users: toolset() }, { users: [] })).toThrow(
      'The loader of module "users" is no function',
    );
    expect(() => read({ users: toolset({ tools: [] }) }, null)).toThrow('moduleLoaders must be an object');
  });
});
