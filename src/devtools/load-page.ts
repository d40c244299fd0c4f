import type { PageOptions, ServedPage } from './page.js';
import type { PageSource } from './page-source.js';

/**
 * Loads the page's server, and serves the page for a source. A server with the page off does not load it.
 *
 * @internal
 */
export async function createPage(source: PageSource, options: PageOptions): Promise<ServedPage> {
  const page = await import('./page.js');
  return page.createPage(source, options);
}
