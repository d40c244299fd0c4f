import { afterEach, describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from '../../registry/tool-registry.js';
import { serveHttp } from '../../serve/node/serve-http.js';
import type { OfferedView } from '../exposure-policy.js';

const registry = new ToolRegistry({ name: 'a' }).register({
  name: 'ping',
  description: 'Answers',
  inputSchema: {},
  handler: () => 'pong',
});

/** An exposure of a process in which no form is loaded yet. */
async function expose(view: OfferedView) {
  vi.resetModules();
  const { Exposure } = await import('../exposure.js');
  const onError = vi.fn<(error: unknown) => void>();
  return { exposure: new Exposure(registry, { view, onError }), onError };
}

describe('a form of another package', () => {
  afterEach(async () => {
    // A form that is still loading would be found half loaded by the next test.
    await vi.dynamicImportSettled();
    vi.doUnmock('@toolfold/search');
    vi.resetModules();
  });

  it('is loaded after the exposure is created', async () => {
    const { exposure, onError } = await expose({ form: 'search' });
    const view = exposure.viewFor({});
    expect(view).toBeInstanceOf(Promise);
    expect((await view).listTools().map(({ name }) => name)).toContain('search_tools');
    await exposure.ready();
    expect(exposure.viewFor({})).not.toBeInstanceOf(Promise);
    expect(onError).not.toHaveBeenCalled();
  });

  it('whose package is missing says what to install', async () => {
    vi.doMock('@toolfold/search', () => ({
      get searchForm(): never {
        const message = "Cannot find package '@toolfold/search' imported from /app/toolfold.js";
        throw Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' });
      },
    }));
    const { exposure, onError } = await expose({ form: 'search' });
    const missing = {
      code: 'ErrInvalidOptions',
      message: expect.stringContaining('The search form needs the package @toolfold/search.') as string,
      hint: 'Install it: npm install @toolfold/search',
    };
    await expect(exposure.ready()).rejects.toMatchObject(missing);
    expect(onError.mock.calls).toEqual([[expect.objectContaining({ hint: missing.hint })]]);
  });

  it.each<[string, OfferedView]>([
    ['search.rankr', { form: 'search', search: { rankr: 1 } as object }],
    ['search.rankr', { form: 'code', search: { rankr: 1 } as object }],
    ['search.rankr', { form: 'grouped', search: { rankr: 1 } as object }],
    ['code.allow', { form: 'code', code: { allow: 'all' } as object }],
    ['code.allow', { form: 'auto', code: { allow: 'all' } as object }],
  ])('reports a mistake in %s of %j when the server starts', async (field, view) => {
    const { exposure, onError } = await expose(view);
    const name = field.split('.')[1];
    await expect(exposure.ready()).rejects.toMatchObject({
      code: 'ErrInvalidOptions',
      details: { field: name },
    });
    expect(onError).toHaveBeenCalledOnce();
    const served = serveHttp(registry, { port: 0, view, onError: () => {} });
    await expect(served).rejects.toMatchObject({ code: 'ErrInvalidOptions' });
  });

  it('rejects missing pins before it is loaded', async () => {
    await expect(expose({ form: 'search', pinned: ['pong'] })).rejects.toThrow('pins "pong"');
    await expect(expose({ form: 'code', pinned: ['pong'] })).rejects.toThrow('pins "pong"');
    const { exposure } = await expose({ form: 'code', pinned: ['call_read_tool'] });
    await exposure.ready();
  });
});
