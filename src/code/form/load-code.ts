import type * as CodeParts from './open-code.js';

type Code = typeof CodeParts;

let loaded: Code | undefined;

/** Loads the code form when a server first offers it. */
export function loadCode(): Code | Promise<Code> {
  return loaded ?? import('./open-code.js').then((code) => (loaded = code));
}
