import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { ListedUpstream } from '../ui/listed-upstream.js';
import { Notices } from './notices.js';
import { compilableTools, ProxiedServer } from './proxied-server.js';
import { internalsOf } from 'toolfold/internal';

const tool = (name: string) => ({
  name,
  description: 'Answers with its name.',
  inputSchema: { type: 'object', properties: {} },
  handler: () => name,
});

/** Follows a server that has one tool. */
async function followOne() {
  const served = new ToolRegistry({ name: 'far' }).register(tool('first'));
  const { url, close } = await serveHttp(served, { port: 0, closeOnSignals: false });
  onTestFinished(close);
  const lines: string[] = [];
  const upstream = new ListedUpstream('http');
  const server = new ProxiedServer({
    name: undefined,
    target: { url },
    notices: new Notices({ notify: (line: string) => lines.push(line) } as never, false),
    takesRoots: false,
    onSkipped: upstream.leaveOut,
  });
  onTestFinished(() => server.close());
  const registry = new ToolRegistry({ name: 'near' });
  await server.follow(registry, {
    plan: {
      server: 'far',
      label: undefined,
      choice: {},
      overrides: {},
      review: undefined,
      form: 'flat',
      groupName: 'far',
      description: undefined,
      prefix: undefined,
    },
    signal: new AbortController().signal,
    mustRun: true,
    onOffered: (items) => upstream.offer(items as never),
  });
  return { served, registry, upstream, lines };
}

const namesIn = (registry: ToolRegistry) => registry.listTools().map(({ name }) => name);

describe('a proxied server', () => {
  it('reports an unexpected error that removes its tools, until a list can be registered again', async () => {
    const { served, registry, upstream, lines } = await followOne();
    expect(namesIn(registry)).toEqual(['first']);
    const failing = vi.spyOn(internalsOf(registry), 'replaceItems').mockImplementationOnce(() => {
      throw new RangeError('Maximum call stack size exceeded');
    });
    served.register(tool('second'));
    await expect.poll(() => upstream.read().problem).toBe('Maximum call stack size exceeded');
    expect(failing).toHaveBeenCalled();
    expect(namesIn(registry)).toEqual([]);
    expect(lines.join()).toContain('Maximum call stack size exceeded');
    served.register(tool('third'));
    await expect.poll(() => namesIn(registry)).toEqual(['first', 'second', 'third']);
    expect(upstream.read().problem).toBeUndefined();
  });

  it('leaves out a tool that fails to compile for any reason, and keeps the others', () => {
    const broken = {
      ...tool('broken'),
      icons: new Proxy([], {
        get: () => {
          throw new TypeError('no icons');
        },
      }),
    };
    const skipped: string[][] = [];
    const kept = compilableTools([tool('first'), broken, tool('last')] as never, (...each) =>
      skipped.push(each),
    );
    expect(kept.map(({ name }) => name)).toEqual(['first', 'last']);
    expect(skipped).toEqual([['broken', 'no icons']]);
  });
});
