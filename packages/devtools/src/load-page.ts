import type { PageOptions, ServedPage } from './page.js';
import type { PageSource } from './page-source.js';

/** Serves the page for a source. Imports the page's server lazily, so that a server without the page does not load it. */
export async function createPage(source: PageSource, options: PageOptions): Promise<ServedPage> {
  const page = await import('./page.js');
  return page.createPage(source, options);
}
