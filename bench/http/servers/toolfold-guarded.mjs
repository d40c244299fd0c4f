import { serve as serveRejecting } from './toolfold-rejecting.mjs';

/** @param {number} count */
export const serve = (count) => serveRejecting(count, { isGuarded: true });
