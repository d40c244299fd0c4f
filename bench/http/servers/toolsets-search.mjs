import { serveToolsets } from '../toolset-server.mjs';

/** @param {number} count */
export const serve = (count) => serveToolsets(count, { mode: 'STATIC', toolsets: 'ALL' }, { form: 'search' });
