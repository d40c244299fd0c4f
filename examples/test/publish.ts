/** Run at a release: writes the tools that clients know from then on. */
import { writeFileSync } from 'node:fs';
import { createLibrary, createShelf } from './library.js';

const tools = createLibrary(createShelf()).view({ form: 'flat' }).listTools();
writeFileSync(new URL('published-tools.json', import.meta.url), `${JSON.stringify(tools, undefined, 2)}\n`);
