import * as z from 'zod';
import { findBudget, findOwned } from '../books/references.js';
import type { Budget } from '../books/references.js';
import { only } from '../database/database.js';
import { dateSchema } from '../dates.js';
import { InvalidInput, Refused } from '../errors.js';
import type { Finance } from '../finance.js';
import {
  amountSchema,
  divideToEven,
  formatAmount,
  parseAmount,
  parsePositive,
  positiveAmountSchema,
} from '../money.js';
import { adds, lists, nameField, reads, removes, requestIdField, sets, toolInBudget } from './actions.js';

interface Goal {
  readonly id: number;
  readonly name: string;
  readonly target: bigint;
  readonly saved: bigint;
  readonly due_on: string | null;
}

const reference = { goal: z.string().describe('Name or id of the goal') };
const fields = {
  target: positiveAmountSchema,
  due_on: dateSchema.nullable().describe('Date; null for none'),
};

export function goalsTool(finance: Finance) {
  const { db, today } = finance;
  return toolInBudget('goals', finance)
    .description('What is saved for')
    .action({
      ...lists,
      name: 'list',
      description: 'Lists goals and how far they have come.',
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const goals = await db.query<Goal>('select * from goals where budget_id = $1 order by id', [
          budget.id,
        ]);
        return { currency: budget.currency, goals: goals.map((goal) => show(goal, budget)) };
      },
    })
    .action({
      ...reads,
      name: 'get',
      description: 'Shows a goal, and what has to be saved each month to reach it in time.',
      inputSchema: z.object(reference),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const goal = await findOwned<Goal>(db, 'goal', budget.id, input.goal);
        const months = goal.due_on === null ? undefined : monthsUntil(await today(), goal.due_on);
        const left = goal.target > goal.saved ? goal.target - goal.saved : 0n;
        return {
          currency: budget.currency,
          ...show(goal, budget),
          left: formatAmount(left, budget.currency),
          monthly:
            months === undefined ? null : formatAmount(divideToEven(left, BigInt(months)), budget.currency),
        };
      },
    })
    .action({
      ...adds,
      name: 'create',
      description: 'Creates a goal.',
      inputSchema: z.object({
        name: nameField,
        ...fields,
        due_on: fields.due_on.default(null),
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const goal = only(
          await db.query<Goal>(
            'insert into goals (budget_id, name, target, due_on) values ($1, $2, $3, $4) returning *',
            [budget.id, input.name, parsePositive(input.target, budget.currency), input.due_on],
          ),
        );
        return show(goal, budget);
      },
    })
    .action({
      ...sets,
      name: 'update',
      description: 'Changes what is wanted, or until when. What is left out stays as it is.',
      inputSchema: z.object({
        ...reference,
        target: fields.target.optional(),
        due_on: fields.due_on.optional(),
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const goal = await findOwned<Goal>(db, 'goal', budget.id, input.goal);
        const target =
          input.target === undefined ? goal.target : parsePositive(input.target, budget.currency);
        const dueOn = input.due_on === undefined ? goal.due_on : input.due_on;
        const changed = await db.query<Goal>(
          'update goals set target = $2, due_on = $3 where id = $1 returning *',
          [goal.id, target, dueOn],
        );
        return show(only(changed), budget);
      },
    })
    .action({
      ...adds,
      name: 'contribute',
      description: 'Sets money aside for a goal, such as a holiday, or takes some back.',
      inputSchema: z.object({ ...reference, amount: amountSchema, ...requestIdField }),
      idempotency: { field: 'request_id' },
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const amount = parseAmount(input.amount, budget.currency);
        const date = await today();
        return db.transaction(async (tx) => {
          const goal = await findOwned<Goal>(tx, 'goal', budget.id, input.goal, true);
          const added = await tx.query(
            `insert into contributions (goal_id, date, amount, request_id) values ($1, $2, $3, $4)
             on conflict (goal_id, request_id) do nothing returning id`,
            [goal.id, date, amount, input.request_id ?? null],
          );
          if (added.length === 0) {
            const [known] = await tx.query<{ amount: bigint }>(
              'select amount from contributions where goal_id = $1 and request_id = $2',
              [goal.id, input.request_id],
            );
            if (known?.amount !== amount)
              throw new InvalidInput(
                `The request id "${input.request_id}" was used for another contribution.`,
              );
            return show(goal, budget);
          }
          if (goal.saved + amount < 0n)
            throw new Refused(
              `Only ${formatAmount(goal.saved, budget.currency)} is saved for "${goal.name}".`,
            );
          const changed = await tx.query<Goal>(
            'update goals set saved = saved + $2 where id = $1 returning *',
            [goal.id, amount],
          );
          return show(only(changed), budget);
        });
      },
    })
    .action({
      ...removes,
      name: 'delete',
      description: 'Deletes a goal and what is known of its contributions. No account changes.',
      inputSchema: z.object(reference),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const goal = await findOwned<Goal>(db, 'goal', budget.id, input.goal);
        await db.query('delete from goals where id = $1', [goal.id]);
        return `The goal "${goal.name}" is gone.`;
      },
    });
}

function show({ id, name, target, saved, due_on }: Goal, { currency }: Budget) {
  const percent = Number(divideToEven(saved * 100n, target));
  return {
    id,
    name,
    target: formatAmount(target, currency),
    saved: formatAmount(saved, currency),
    percent,
    due_on,
  };
}

/** Counts the calendar months from `today` to `dueOn`, both included; at least one. */
function monthsUntil(today: string, dueOn: string): number {
  const index = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
  return Math.max(1, index(dueOn) - index(today) + 1);
}
