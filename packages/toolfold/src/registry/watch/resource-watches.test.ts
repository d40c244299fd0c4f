import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../tool-registry.js';
import { createResourceWatches } from './resource-watches.js';
import { internalsOf } from '../any-registry.js';

const sessionOf = (tenant: string) => ({ session: { context: { tenant }, hash: tenant } });

/** A registry whose resources note who watches them. */
function setUp() {
  const log: string[] = [];
  const registry = new ToolRegistry({ name: 'watched' });
  const definition = (name: string) => ({
    name: 'note',
    uri: 'note://1',
    subscribe: ({ uri, session }: { uri: string; session: Readonly<Record<string, unknown>> }) => {
      const who = session['tenant'] === undefined ? '' : ` for ${String(session['tenant'])}`;
      log.push(`${name} +${uri}${who}`);
      return () => void log.push(`${name} -${uri}${who}`);
    },
    handler: () => 'one',
  });
  const updates: string[] = [];
  const listen = (each: ToolRegistry): void =>
    void each.onChange((change) => change.kind === 'resource' && updates.push(change.uri));
  return { log, registry, definition, updates, listen };
}

describe('a watched resource', () => {
  it('is subscribed to with the first watcher of a session context, and no longer after the last', () => {
    const { log, registry, definition } = setUp();
    registry.registerResource(definition('a'));
    const stops = [sessionOf('ada'), sessionOf('ada'), sessionOf('bob'), {}].map((request) =>
      internalsOf(registry).watchResource('note://1', request),
    );
    expect(log).toEqual(['a +note://1 for ada', 'a +note://1 for bob', 'a +note://1']);
    stops[0]?.();
    stops[0]?.();
    expect(log).toHaveLength(3);
    stops[1]?.();
    expect(log.at(-1)).toBe('a -note://1 for ada');
    stops[2]?.();
    stops[3]?.();
    expect(log).toHaveLength(6);
  });

  it('may be registered, replaced and removed while it is watched, and watchers hear of the gap', async () => {
    const { log, registry, definition, updates, listen } = setUp();
    listen(registry);
    const stop = internalsOf(registry).watchResource('note://1', {});
    expect(log).toEqual([]);
    const first = definition('a');
    registry.registerResource(first);
    expect(log).toEqual(['a +note://1']);
    internalsOf(registry).replaceItems({ resources: [{ ...first, title: 'Same source' }] });
    expect(log).toEqual(['a +note://1']);
    await Promise.resolve();
    expect(updates).toEqual([]);
    internalsOf(registry).replaceItems({ resources: [] });
    expect(log).toEqual(['a +note://1', 'a -note://1']);
    internalsOf(registry).replaceItems({ resources: [definition('b')] });
    expect(log.at(-1)).toBe('b +note://1');
    await Promise.resolve();
    expect(updates).toEqual(['note://1']);
    stop();
    expect(log.at(-1)).toBe('b -note://1');
  });

  it('is watched through registries in which its own is mounted', async () => {
    const { log, registry, definition, updates, listen } = setUp();
    const middle = new ToolRegistry({ name: 'middle' });
    const outer = new ToolRegistry({ name: 'outer' });
    outer.mount('middle', middle);
    listen(outer);
    const stop = internalsOf(outer).watchResource('note://1', sessionOf('ada'));
    middle.mount('inner', registry);
    registry.registerResource(definition('a'));
    expect(log).toEqual(['a +note://1 for ada']);
    registry.notifyResourceUpdated('note://1');
    expect(updates).toEqual(['note://1']);
    middle.unmount('inner');
    expect(log.at(-1)).toBe('a -note://1 for ada');
    middle.mount('inner', registry);
    expect(log.at(-1)).toBe('a +note://1 for ada');
    await Promise.resolve();
    expect(updates).toEqual(['note://1', 'note://1']);
    stop();
    expect(log).toHaveLength(4);
  });

  it('reports errors of its author to the server, and goes on', () => {
    const { registry } = setUp();
    const faults: unknown[] = [];
    registry.registerResource({
      name: 'broken',
      uri: 'broken://1',
      subscribe: () => {
        throw new Error('no feed');
      },
      handler: () => 'text',
    });
    const stop = internalsOf(registry).watchResource('broken://1', {
      onError: (error) => faults.push(error),
    });
    expect(faults.map(String)).toEqual(['Error: no feed']);
    stop();
  });
});

it('has exactly one source for each watched resource that exists, after any changes', () => {
  type Step = { do: 'watch' | 'stop' | 'add' | 'remove'; uri: string; at: number };
  const uri = fc.constantFrom('a', 'b', 'c');
  const step: fc.Arbitrary<Step> = fc.record({
    do: fc.constantFrom('watch', 'stop', 'add', 'remove'),
    uri,
    at: fc.nat(5),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const existing = new Map<string, object>();
      const running: string[] = [];
      const watches = createResourceWatches(
        (each) => {
          const identity = existing.get(each);
          return (
            identity && {
              identity,
              start: () => {
                running.push(each);
                return () => void running.splice(running.indexOf(each), 1);
              },
            }
          );
        },
        () => undefined,
      );
      const watchers: { uri: string; stop: () => void }[] = [];
      for (const { do: what, uri: each, at } of steps) {
        if (what === 'watch') watchers.push({ uri: each, stop: watches.watch(each, {}) });
        else if (what === 'stop') for (const { stop } of watchers.splice(at, 1)) stop();
        else {
          if (what === 'add') existing.set(each, {});
          else existing.delete(each);
          watches.refresh();
        }
        const expected = [...new Set(watchers.map((watcher) => watcher.uri))].filter((name) =>
          existing.has(name),
        );
        expect(running.toSorted()).toEqual(expected.toSorted());
      }
    }),
  );
});
