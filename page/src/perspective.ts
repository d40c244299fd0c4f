import { signal } from '@preact/signals';
import type { Perspective } from '../../src/devtools/page-api.js';

/** The caller, form and profile with which the page calls. The section Views sets it. */
export const perspective = signal<Perspective>({});
