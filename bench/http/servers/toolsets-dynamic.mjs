import { serveToolsets } from '../toolset-server.mjs';

/** All are enabled in a session from its start, so that it has the same tools as the others, and the five that enable. */
/** @param {number} count */
export const serve = (count) => serveToolsets(count, { mode: 'DYNAMIC', toolsets: 'ALL' });
