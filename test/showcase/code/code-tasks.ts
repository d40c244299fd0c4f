/**
 * Ten tasks for a model that sees only the tools of the showcase. A script calls the tools for it in the forms grouped, flat and search,
 * and another one writes programs in the form code. The expected answers are computed with SQL.
 */
import { monthEndReport } from './month-end-report.js';
import { codeTasksThatRead } from './tasks-that-read.js';
import { codeTasksThatWrite } from './tasks-that-write.js';

export const codeTasks = [monthEndReport, ...codeTasksThatRead, ...codeTasksThatWrite];
