import { createLibrary, createShelf } from './library.js';

export const registry = createLibrary(createShelf());
