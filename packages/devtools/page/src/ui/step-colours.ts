import type { StepDuration } from '../../../src/page-events.js';

/** The colour of each step of the pipeline, shared by all sections. */
export const stepColours: Readonly<Record<StepDuration['step'], `--${string}`>> = {
  find: '--chart-5',
  admit: '--chart-3',
  prepare: '--chart-4',
  validate: '--chart-2',
  run: '--chart-1',
  shape: '--read',
  error: '--error',
};
