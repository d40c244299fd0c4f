import { readEntries } from '../../search/form/entries.js';
import type { SearchContents } from '../../search/form/search-form.js';
import { describeMounted } from '../../toolsets/registry-views.js';
import { Exposure } from '../../web.js';
import { yieldToEventLoop } from '../steps.js';
import type { LoadedModule } from './loaded-module.js';

/**
 * Reads the actions that the search form of a file finds. A file that exports no Exposure, or an Exposure in another form, is read as
 * if it were served in the search form.
 */
export async function readSearchedActions(loaded: LoadedModule): Promise<SearchContents> {
  const { registry, exposure: own, toolsets, config, view: offered } = loaded;
  if (toolsets) {
    const view = await toolsets.view(toolsets.allowed, toolsets.contextOf());
    return { entries: readEntries(view.authored ?? view, toolsets.describe([])), settings: {} };
  }
  const exposure =
    own ??
    new Exposure(registry, {
      view: { ...offered, form: 'search', code: undefined },
      ...(config ? { toolsets: config } : {}),
    });
  try {
    await yieldToEventLoop();
    const request = exposure.complete({});
    const view = await exposure.viewFor(request);
    await yieldToEventLoop();
    if (view.searchContents !== undefined) return view.searchContents as SearchContents;
    const listed = await exposure.toolsOf(exposure.reachableFor(request), request);
    return { entries: readEntries(listed.authored ?? listed, describeMounted(registry)), settings: {} };
  } finally {
    if (!own) exposure.close();
  }
}
