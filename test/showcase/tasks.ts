/**
 * Twenty tasks for a model that sees only the tools of the showcase, in the order in which they are done on fresh books. The
 * expected answers are computed with SQL from the books before the first task, so they hold for every day of the seed.
 */
import { tasksThatRead } from './tasks-that-read.js';
import { tasksThatWrite } from './tasks-that-write.js';

export const tasks = [...tasksThatRead, ...tasksThatWrite];
