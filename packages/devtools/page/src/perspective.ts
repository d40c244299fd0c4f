import { signal } from '@preact/signals';
import type { Perspective } from '../../src/page-api.js';

/** The caller, form and profile that the page uses for calls. Set in Views. */
export const perspective = signal<Perspective>({});
