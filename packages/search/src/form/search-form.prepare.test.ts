import { afterEach, describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { Exposure } from 'toolfold/web';
import { TermCounts } from '../index/vocabulary.js';
import type { SearchSettings } from './search-settings.js';

describe('the index', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  const exposeWith = (search: SearchSettings) => {
    const read = vi.spyOn(TermCounts.prototype, 'endDocument');
    const registry = new ToolRegistry();
    registry.register(
      ['list_users', 'ban_user'].map((name) => ({
        name,
        description: 'A tool',
        inputSchema: {},
        handler: () => 'done',
      })),
    );
    vi.useFakeTimers();
    const view = { form: 'search', search } as const;
    return { exposure: new Exposure(registry, { view }), read };
  };

  it('is built once, in the background, after the tools are listed', async () => {
    const { exposure, read } = exposeWith({});
    const view = await exposure.viewFor({});
    await vi.advanceTimersByTimeAsync(1_000);
    expect(read).not.toHaveBeenCalled();
    view.listTools();
    expect(read).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(read).toHaveBeenCalled());
    await vi.advanceTimersByTimeAsync(1_000);
    const calls = read.mock.calls.length;
    view.listTools();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(read).toHaveBeenCalledTimes(calls);
  });

  it('is not built before a question for the selection of a request, so that lists stay cheap', async () => {
    const { exposure, read } = exposeWith({});
    (await exposure.viewFor({ selection: { tools: ['ban_user'] } })).listTools();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(read).not.toHaveBeenCalled();
  });

  it('is not built before a question if the server has a ranker', async () => {
    const ranker = vi.fn<NonNullable<SearchSettings['ranker']>>();
    const { exposure, read } = exposeWith({ ranker });
    (await exposure.viewFor({})).listTools();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(read).not.toHaveBeenCalled();
    expect(ranker).not.toHaveBeenCalled();
  });

  it('is not built before a question on Cloudflare Workers', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
    const { exposure, read } = exposeWith({});
    (await exposure.viewFor({})).listTools();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(read).not.toHaveBeenCalled();
  });
});
