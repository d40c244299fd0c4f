import { readEntries, searchContentsOf } from '@toolfold/search/internal';
import type { SearchContents } from '@toolfold/search/internal';
import { describeMounted } from 'toolfold/internal';
import { Exposure } from 'toolfold/web';
import { yieldToEventLoop } from '../steps.js';
import type { LoadedModule } from './loaded-module.js';

/**
 * Reads the actions that the search form of a file indexes. Assumes the search form if the file is served in another form.
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
      view: {
        ...offered,
        form: typeof offered?.form === 'object' ? offered.form : 'search',
        code: undefined,
      },
      ...(config ? { toolsets: config } : {}),
    });
  try {
    await yieldToEventLoop();
    const request = exposure.complete({});
    const view = await exposure.viewFor(request);
    await yieldToEventLoop();
    const contents = searchContentsOf(view);
    if (contents) return contents;
    const listed = await exposure.toolsOf(exposure.reachableFor(request), request);
    return { entries: readEntries(listed.authored ?? listed, describeMounted(registry)), settings: {} };
  } finally {
    if (!own) exposure.close();
  }
}
