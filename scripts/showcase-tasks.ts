/**
 * Prints the twenty tasks for the books of a day, or checks which of them were done in a data folder:
 *   npx tsx scripts/showcase-tasks.ts questions|answers [day]
 *   npx tsx scripts/showcase-tasks.ts verify <folder> [day]
 * The day is the one on which the books were written. Default: today. `verify` needs a folder that no server uses.
 */
import { openDatabase } from '../examples/showcase/database/open.js';
import { dayIn } from '../examples/showcase/dates.js';
import { seedBooks } from '../examples/showcase/seed/seed.js';
import { readFacts } from '../test/showcase/task-facts.js';
import { tasks } from '../test/showcase/tasks.js';

const [what = 'questions', ...rest] = process.argv.slice(2);
const [folder, given] = what === 'verify' ? rest : [undefined, ...rest];
const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const now = given === undefined ? new Date() : new Date(`${given}T12:00:00Z`);
const onError = (error: unknown): void => console.error(error);

const fresh = await openDatabase({ onError });
await seedBooks(fresh, { now, timeZone });
const facts = await readFacts(fresh, dayIn(timeZone, now));
await fresh.close();

if (what === 'verify') {
  const db = await openDatabase({ folder, onError });
  for (const [index, { title, isDone }] of tasks.entries())
    if (isDone) console.log(`${index + 1}. ${(await isDone(db, facts)) ? 'done    ' : 'NOT DONE'} ${title}`);
  await db.close();
} else
  for (const [index, task] of tasks.entries())
    console.log(
      what === 'answers'
        ? `${index + 1}. ${task.title}: ${JSON.stringify(task.expected(facts))}\n   ${task.actions.join(', ')}`
        : `${index + 1}. ${task.question(facts)}`,
    );
