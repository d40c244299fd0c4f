import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidSessionContext } from '@toolfold/schema/errors';
import { ServerModeEnforcer } from './server-mode.js';
import type { ServerModeOptions } from './server-mode.js';
import type { ToolSetCatalog } from './tool-set-catalog.js';

const catalog: ToolSetCatalog = Object.fromEntries(
  ['search', 'company', 'news'].map((key) => [key, { name: key, description: key, tools: [] }]),
);
const decide = (options: Omit<ServerModeOptions, 'catalog'>, session: Record<string, unknown> = {}) =>
  new ServerModeEnforcer({ catalog, ...options }).resolve(session);
const argv = (line: string): string[] => (line === '' ? [] : line.split(' '));

const dynamic = { mode: 'DYNAMIC_TOOL_DISCOVERY', toolsets: [] };
const all = { mode: 'ALL_TOOLS', toolsets: [] };
const only = (...toolsets: string[]) => ({ mode: 'STATIC_TOOL_SETS', toolsets });

describe('ServerModeEnforcer', () => {
  it.each([
    ['--dynamic-tool-discovery', dynamic],
    ['--dynamic-tool-discovery=true', dynamic],
    ['--dynamic-tool-discovery=1', dynamic],
    ['--dynamic-tool-discovery yes', dynamic],
    ['--DYNAMIC_TOOL_DISCOVERY=YES', dynamic],
    ['--dynamicToolDiscovery', dynamic],
    ['--all-tools', all],
    ['--all-tools --port 80', all],
    ['--all-tools -p 80', all],
    ['--all-tools ./settings.json', all],
    ['--static-tool-sets=search,company', only('search', 'company')],
    ['--tool-sets search,,company,', only('search', 'company')],
    ['--toolsets=news,news', only('news')],
    ['--toolSets=news', only('news')],
    ['--all-tools --tool-sets=news', only('news')],
    ['--port 80', dynamic],
    ['-- --all-tools', dynamic],
  ])('reads %s', (line, choice) => {
    expect(decide({ argv: argv(line) })).toEqual(choice);
  });

  it.each([
    [{ STATIC_TOOL_SETS: ' search , company ,, ' }, only('search', 'company')],
    [{ TOOL_SETS: 'news' }, only('news')],
    [{ ALL_TOOLS: 'on' }, all],
    [{ ALL_TOOLS: 'no' }, dynamic],
    // An empty line of a settings file has no effect.
    [{ DYNAMIC_TOOL_DISCOVERY: '', ALL_TOOLS: 'true' }, all],
    [{ STATIC_TOOL_SETS: '', ALL_TOOLS: 'true' }, all],
    [{ ALL_TOOLS: '' }, dynamic],
  ])('reads the environment %o', (env, choice) => {
    expect(decide({ env })).toEqual(choice);
  });

  it('prefers the command line to the environment, and both to the session', () => {
    const env = { STATIC_TOOL_SETS: 'company' };
    const session = { STATIC_TOOL_SETS: ['news', 'search'] };
    expect(decide({ argv: ['--tool-sets=search'], env }, session)).toEqual(only('search'));
    expect(decide({ env }, session)).toEqual(only('company'));
    expect(decide({}, session)).toEqual(only('news', 'search'));
    expect(decide({}, { ALL_TOOLS: true })).toEqual(all);
    expect(decide({})).toEqual(dynamic);
  });

  it('lets a false on the command line override the environment, and a false of the operator the session', () => {
    const no = ['--all-tools=false'];
    expect(decide({ argv: no, env: { ALL_TOOLS: 'true' } })).toEqual(dynamic);
    expect(decide({ argv: no, env: { TOOL_SETS: 'news' } })).toEqual(only('news'));
    expect(decide({ env: { ALL_TOOLS: '0' } }, { ALL_TOOLS: true })).toEqual(dynamic);
  });

  it('lets no session change the decision of the operator', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('--all-tools', '--dynamic-tool-discovery', '--tool-sets=news'),
        fc.dictionary(
          fc.constantFrom(
            'ALL_TOOLS',
            'DYNAMIC_TOOL_DISCOVERY',
            'STATIC_TOOL_SETS',
            'TOOL_SETS',
            '__proto__',
          ),
          fc.jsonValue(),
        ),
        (flag, session) => {
          const enforcer = new ServerModeEnforcer({ catalog, argv: [flag] });
          expect(enforcer.resolve(session)).toEqual(enforcer.resolve());
          expect(enforcer.serverModeOverride).toBe(enforcer.resolve().mode);
        },
      ),
    );
  });

  it.each([
    [
      '--tool-sets=serch',
      'Unknown toolset "serch" in the command line. Did you mean "search"? Valid: search, company, news.',
    ],
    [
      '--tool-sets=constructor',
      'Unknown toolset "constructor" in the command line. Valid: search, company, news.',
    ],
    ['--tool-sets=__proto__', 'Unknown toolset "__proto__"'],
    ['--tool-sets', 'STATIC_TOOL_SETS in the command line names no toolset.'],
    ['--tool-sets=,', 'names no toolset'],
    ['--tool-sets --all-tools', 'names no toolset'],
    ['--all-tools=perhaps', 'ALL_TOOLS in the command line is "perhaps". Use true or false.'],
  ])('rejects %s at creation', (line, message) => {
    expect(() => new ServerModeEnforcer({ catalog, argv: argv(line) })).toThrow(message);
  });

  it('rejects a session with invalid values', () => {
    expect(() => decide({}, { STATIC_TOOL_SETS: 'nope' })).toThrow('Unknown toolset "nope" in the session');
    expect(() => decide({}, { ALL_TOOLS: {} })).toThrow(ErrInvalidSessionContext);
    expect(decide({}, Object.create({ ALL_TOOLS: true }) as Record<string, unknown>)).toEqual(dynamic);
  });
});
