import { ToolRegistry } from 'toolfold';
import { createNotes } from './notes.js';

/** Creates the server's tools. Register more builders and definitions here. */
export function createRegistry() {
  return new ToolRegistry({ name: 'my-server', version: '0.1.0' }).register(createNotes());
}

/** The tools that `http.ts`, `stdio.ts` and the `toolfold` command serve. */
export const registry = createRegistry();
