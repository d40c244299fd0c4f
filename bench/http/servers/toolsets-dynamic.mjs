import { serveToolsets } from '../toolset-server.mjs';

/** All toolsets are enabled from the start of a session, so it has the tools of the other forms plus five meta tools. */
/** @param {string} catalog */
export const serve = (catalog) => serveToolsets(catalog, { mode: 'DYNAMIC', toolsets: 'ALL' });
