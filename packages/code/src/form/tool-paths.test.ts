import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { readEntries } from '@toolfold/search/internal';
import type { SearchEntries, SearchEntry } from '@toolfold/search/internal';
import { readPaths } from './tool-paths.js';

type Named = string | readonly [address: string, ...toolsets: string[]];

/** Entries with these addresses, and their toolsets. */
function entriesOf(...addresses: readonly Named[]) {
  const byAddress = new Map(
    addresses.map((each): [string, SearchEntry] => {
      const [address, ...toolsets] = typeof each === 'string' ? [each] : each;
      return [address, { compiled: { address }, toolsets } as unknown as SearchEntry];
    }),
  );
  return { byAddress, toolsets: new Map() } satisfies SearchEntries;
}

const pathsOf = (...addresses: readonly Named[]): string[] => [
  ...readPaths(entriesOf(...addresses)).byPath.keys(),
];

function problemWith(path: string, ...addresses: readonly Named[]) {
  const found = readPaths(entriesOf(...addresses)).find(path);
  if (!('code' in found)) throw new Error(`${path} exists.`);
  return { message: found.message, suggestions: found.details['suggestions'] };
}

describe('the paths of actions in code', () => {
  it('are the parts of the address', () => {
    expect(pathsOf('acme:platform/users.list', 'send_invoice')).toEqual([
      'acme.platform.users.list',
      'send_invoice',
    ]);
  });

  it('begin with the first toolset, which is not repeated', () => {
    expect(
      pathsOf(
        ['list_issues', 'github', 'all'],
        ['github:pulls.list', 'github'],
        ['github_create_issue', 'github'],
        ['github', 'github'],
        ['githubber', 'github'],
        ['git-hub/x', 'git hub'],
      ),
    ).toEqual([
      'github.list_issues',
      'github.pulls.list',
      'github.create_issue',
      'github.github',
      'github.githubber',
      'git_hub.x',
    ]);
  });

  it('have only identifiers', () => {
    expect(
      pathsOf('get-user name', '2fa/enable', 'a..b//c', '/', '🎉', 'größe.切り', 'x.then', 'toJSON'),
    ).toEqual(['get_user_name', '_2fa.enable', 'a.b.c', '_', '__2', 'größe.切り', 'x.then_', 'toJSON_']);
    expect(pathsOf('__proto__.constructor', 'delete', ['a_1', 'a'])).toEqual([
      '__proto__.constructor',
      'delete',
      'a._1',
    ]);
  });

  it('get a number if they are equal, in alphabetical order of the addresses', () => {
    const addresses = ['x.y', 'x-y', 'x_y', 'x_y_2', 'x/y'];
    const expected = new Map([
      ['x-y', 'x_y'],
      ['x_y', 'x_y_3'],
      ['x_y_2', 'x_y_2'],
      ['x.y', 'x.y'],
      ['x/y', 'x.y_2'],
    ]);
    for (const order of [addresses, addresses.toReversed()]) {
      const { pathOf, byPath } = readPaths(entriesOf(...order));
      for (const [address, path] of expected) {
        expect(pathOf(address)).toBe(path);
        expect(byPath.get(path)?.compiled.address).toBe(address);
      }
    }
  });

  it('are distinct valid identifiers for any addresses in any order, and find their actions', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.string({ unit: fc.constantFrom(...'ab_-.:/2'), maxLength: 6 }),
      fc.constantFrom('then', 'toJSON', '__proto__', 'constructor', 'a_2', 'a_2_2'),
    );
    const tool = fc.tuple(name, fc.option(name, { nil: undefined }));
    fc.assert(
      fc.property(fc.uniqueArray(tool, { selector: ([address]) => address, maxLength: 12 }), (tools) => {
        const listed = tools.map(([address, key]) =>
          key === undefined ? address : ([address, key] as const),
        );
        const paths = readPaths(entriesOf(...listed));
        expect(paths.byPath.size).toBe(tools.length);
        for (const [path, entry] of paths.byPath) {
          expect(paths.pathOf(entry.compiled.address)).toBe(path);
          expect(paths.find(path)).toBe(entry);
          for (const part of path.split('.')) {
            expect(part).toMatch(/^[$_\p{ID_Start}][$\p{ID_Continue}]*$/u);
            expect(part).not.toMatch(/^(?:then|toJSON)$/);
          }
          // The engine agrees that the path can be written in code.
          expect(() => new Function(`return (tools) => tools.${path}({})`)).not.toThrow();
        }
        const reversed = readPaths(entriesOf(...listed.toReversed()));
        for (const [path, { compiled }] of paths.byPath) expect(reversed.pathOf(compiled.address)).toBe(path);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a path that no action has', () => {
  const addresses = ['github:issues.list', 'github:issues.create', 'github:pulls.list', 'send_invoice'];

  it('suggests the functions of a namespace', () => {
    expect(problemWith('github.issues', ...addresses)).toEqual({
      message: 'tools.github.issues is a namespace, not a function. Its functions: list, create.',
      suggestions: ['github.issues.list', 'github.issues.create'],
    });
  });

  it('suggests paths in which only the namespace was missing', () => {
    expect(problemWith('issues.list', ...addresses)).toMatchObject({
      message:
        'tools.issues.list is not a function. Did you mean tools.github.issues.list? Call search_tools to find functions.',
    });
    expect(problemWith('list', ...addresses)).toMatchObject({
      suggestions: ['github.issues.list', 'github.pulls.list'],
    });
  });

  it('suggests the most similar spelling', () => {
    expect(problemWith('github.isues.lst', ...addresses)).toMatchObject({
      suggestions: ['github.issues.list'],
    });
    expect(problemWith('sendInvoice', ...addresses)).toMatchObject({ suggestions: ['send_invoice'] });
    expect(problemWith('weather.forecast', ...addresses)).toEqual({
      message: 'tools.weather.forecast is not a function. Call search_tools to find functions.',
      suggestions: [],
    });
  });

  it('is shortened in the message, and gets no suggestion if nothing is similar', () => {
    expect(problemWith('x'.repeat(10_000), ...addresses).message.length).toBeLessThan(300);
    expect(problemWith('', ...addresses).suggestions).toEqual([]);
    expect(problemWith('__proto__', ...addresses).suggestions).toEqual([]);
    expect(problemWith('github.constructor', ...addresses).suggestions).toEqual([]);
  });
});

it('finds an action by its address and by a former address, and not a hidden one', () => {
  const registry = new ToolRegistry({ name: 'acme', rateLimiter: false }).register(
    { name: 'send-mail', description: 'Sends mail', aliases: ['mail'], inputSchema: {}, handler: () => '' },
    { name: 'drop', description: 'Drops it', tags: ['admin'], inputSchema: {}, handler: () => '' },
  );
  const paths = readPaths(readEntries(registry.view({ exclude: ['drop'] }), []));
  expect([...paths.byPath.keys()]).toEqual(['send_mail']);
  const entry = paths.byPath.get('send_mail');
  expect([paths.find('send-mail'), paths.find('mail')]).toEqual([entry, entry]);
  expect(paths.pathOf('mail')).toBe('send_mail');
  expect(paths.find('drop')).toMatchObject({ code: 'ErrUnknownTool', details: { suggestions: [] } });
});
