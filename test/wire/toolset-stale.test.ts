import { afterEach, describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { Exposure } from 'toolfold/web';

const tool = (name: string) => ({
  name,
  description: name,
  readOnly: true,
  inputSchema: {},
  handler: () => name,
});

afterEach(() => void vi.restoreAllMocks());

/** A module whose failures and changes the test controls. */
function serve() {
  const state = { tools: [tool('old')], isDown: false, tell: () => {} };
  const loader = Object.assign(
    () => {
      if (state.isDown) throw new Error('the service is down');
      return state.tools;
    },
    {
      onChange: (listener: () => void) => {
        state.tell = listener;
        return () => {};
      },
    },
  );
  const exposure = new Exposure(new ToolRegistry(), {
    toolsets: {
      catalog: { up: { name: 'Up', description: 'Up', modules: ['m'] } },
      moduleLoaders: { m: loader },
      startup: { mode: 'STATIC', toolsets: 'ALL' },
      context: {},
      exposurePolicy: {},
      sessionContext: { header: { name: 'ctx', encoding: 'json', allowedKeys: ['tenant'] } },
    },
  });
  const viewOf = async (clientId?: string) => exposure.viewFor(clientId === undefined ? {} : { clientId });
  return { state, viewOf };
}

describe('a stale view after a failed load', () => {
  it.each([
    ['without a client id', undefined],
    ['for a client that comes again', 'c1'],
  ])('is reloaded after a while: %s', async (_, clientId) => {
    const { state, viewOf } = serve();
    await viewOf(clientId);
    Object.assign(state, { isDown: true });
    state.tell();
    for (let time = 0; time < 3; time++) expect([...(await viewOf(clientId)).tools.keys()]).toEqual(['old']);
    Object.assign(state, { isDown: false, tools: [tool('new')] });
    const later = performance.now() + 31_000;
    vi.spyOn(performance, 'now').mockImplementation(() => later);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await viewOf(clientId);
    expect([...(await viewOf(clientId)).tools.keys()]).toEqual(['new']);
  });

  it('must not be cached by clients', async () => {
    const { state, viewOf } = serve();
    await viewOf();
    state.isDown = true;
    state.tell();
    expect((await viewOf()).isPartial).toBe(true);
  });
});
