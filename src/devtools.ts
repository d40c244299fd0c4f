/** `toolfold/devtools`: the page that shows a server in a browser, for development. */
export { devtools } from './devtools/devtools.js';
export type { Devtools, DevtoolsOptions } from './devtools/devtools.js';
/** @internal For the command line, which shows other servers than registries too. */
export { createPage } from './devtools/load-page.js';
