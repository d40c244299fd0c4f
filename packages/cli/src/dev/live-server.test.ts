import { describe, expect, it } from 'vitest';
import type { EndedCall } from 'toolfold/internal';
import { ToolRegistry } from 'toolfold';
import { Exposure } from 'toolfold/web';
import { LiveServer } from './live-server.js';
import type { Version } from './live-server.js';
import { internalsOf } from 'toolfold/internal';

function createVersion(answer: () => string | Promise<string>): Version {
  const registry = new ToolRegistry().register({
    name: 'ask',
    description: 'Answers.',
    inputSchema: {},
    handler: answer,
  });
  return { registry, exposure: new Exposure(registry) };
}

const quiet = {
  call: <T>(_request: unknown, _view: unknown, run: () => T) => run(),
  prompt: <T>(_name: string, run: () => T) => run(),
  resource: <T>(_uri: string, run: () => T) => run(),
};

const textsOf = (calls: readonly EndedCall[]) =>
  calls.map(({ result }) => (result.content[0] as { text: string }).text);

describe('a listener of a live server', () => {
  it('sees the calls of all versions, also those that end after their version was replaced', async () => {
    let end: (text: string) => void = () => {};
    const slow = new Promise<string>((resolve) => {
      end = resolve;
    });
    const live = new LiveServer(
      createVersion(() => slow),
      quiet,
    );
    const [calls, others]: [EndedCall[], EndedCall[]] = [[], []];
    const stop = live.observeCalls((call) => calls.push(call));
    live.observeCalls(() => {
      throw new Error('a broken listener');
    });
    live.observeCalls((call) => others.push(call));
    const first = live.registry.executeTool({ name: 'ask' });
    live.replace(
      createVersion(() => 'two'),
      [],
    );
    await live.registry.executeTool({ name: 'ask' }, await live.exposure.viewFor({}));
    end('one');
    await first;
    expect(textsOf(calls)).toEqual(['two', 'one']);
    stop();
    live.replace(
      createVersion(() => 'three'),
      [],
    );
    await internalsOf(live.registry).callOrStartTask({ name: 'ask' });
    expect(textsOf(calls)).toEqual(['two', 'one']);
    expect(textsOf(others)).toEqual(['two', 'one', 'three']);
    expect(others.map(({ steps }) => steps.length)).toEqual([6, 6, 6]);
    live.close();
  });
});
