import { serveToolsets } from '../toolset-server.mjs';

/** @param {string} catalog */
export const serve = (catalog) => serveToolsets(catalog, { mode: 'STATIC', toolsets: 'ALL' });
