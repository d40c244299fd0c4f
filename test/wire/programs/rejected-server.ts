import { serveStdio } from '../../../src/node.js';
import type { ProfileName } from '../../../src/profiles.js';
import { createRejected } from '../rejected-tools.js';

/** Serves tools that providers reject, for the profile that the first argument names. */
serveStdio(createRejected(), { view: { profile: process.argv[2] as ProfileName } });
