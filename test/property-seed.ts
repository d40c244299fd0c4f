import fc from 'fast-check';

/**
 * Property tests draw the same cases on every run, so that a commit passes or fails for everybody. `PROPERTY_SEED=random`
 * draws new cases, and a number repeats those of a failure.
 */
const given = process.env['PROPERTY_SEED'] ?? '20260728';
if (given !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(given) });
