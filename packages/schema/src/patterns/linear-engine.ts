import { toLinearPattern, UnsupportedPattern } from './linear-pattern.js';

/**
 * The engine for code that loads it later. If other code imported the loaded module directly, the bundler would add a helper to every
 * start.
 */
export const linearEngine = { toLinearPattern, UnsupportedPattern };
