import { serve as serveRejecting } from './toolfold-rejecting.mjs';

/** @param {string} catalog */
export const serve = (catalog) => serveRejecting(catalog, { isGuarded: true });
