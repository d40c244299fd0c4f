/** Internal API for the other packages of Toolfold. It may change in any version. */

/** `toolfold dev` and `toolfold ui` give the page a server that can be replaced or is not in this process. */
export type { PageSource, UpstreamList } from './page-source.js';
/** `toolfold dev` and `toolfold ui` show the page of every kind of server, and end it themselves. */
export { createPage } from './load-page.js';
