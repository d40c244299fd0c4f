/** A server in the search form on standard input and output. */
import { serveStdio } from '../../../src/node.js';
import { createSearchedRegistry } from '../searched-registry.js';

await serveStdio(createSearchedRegistry(), { view: { form: 'search' } });
