import type { Change } from './change.js';
import type { Surface } from './surface.js';

/** Finds texts of the new version that look like a prompt injection and that the old version did not have. */
export function findSuspicions(_before: Surface, _after: Surface): Change[] {
  return [];
}
