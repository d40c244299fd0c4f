import { serveStdio } from 'toolfold/node';
import type { ProfileName } from '@toolfold/profiles';
import { createRejected } from '../rejected-tools.js';

/** Serves tools that providers reject, for the profile that the first argument names. */
serveStdio(createRejected(), { view: { profile: process.argv[2] as ProfileName } });
