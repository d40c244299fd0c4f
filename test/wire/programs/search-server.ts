/** A server in the search form on standard input and output. */
import { serveStdio } from 'toolfold/node';
import { createSearchedRegistry } from '../searched-registry.js';

await serveStdio(createSearchedRegistry(), { view: { form: 'search' } });
