/** `@toolfold/devtools`: the page that shows a server in a browser, for development. */
export { devtools } from './devtools.js';
export type { Devtools, DevtoolsOptions } from './devtools.js';
