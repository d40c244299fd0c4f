import { ErrToolFailed } from 'toolfold/errors';
import * as z from 'zod';
import { findBudget, findOwned } from '../books/references.js';
import type { Budget } from '../books/references.js';
import { only } from '../database/database.js';
import { addMonths, dateSchema, monthOf } from '../dates.js';
import type { Finance } from '../finance.js';
import {
  amountSchema,
  divideToEven,
  formatAmount,
  parseAmount,
  parsePositive,
  positiveAmountSchema,
} from '../money.js';
import {
  adds,
  lists,
  nameField,
  reads,
  quote,
  removes,
  requestIdField,
  sets,
  toolInBudget,
} from './actions.js';

interface Goal {
  readonly id: number;
  readonly name: string;
  readonly target: bigint;
  readonly saved: bigint;
  readonly due_on: string | null;
}

const reference = { goal: z.string().describe('Name or id of the goal') };
const fields = {
  target: positiveAmountSchema.describe('Amount to save. Decimal text such as "1200.00", not cents'),
  due_on: dateSchema.nullable().describe('Day by which it is to be saved, such as 2027-06-01; null for none'),
};

export function goalsTool(finance: Finance) {
  const { db, today } = finance;
  return toolInBudget('goals', finance)
    .description('Savings goals. They only note what is saved: no account, category or transaction changes')
    .action({
      ...lists,
      name: 'list',
      description: 'Lists goals with their progress: saved, left, and needed_monthly until due_on.',
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const day = await today();
        const goals = await db.query<Goal>('select * from goals where budget_id = $1 order by id', [
          budget.id,
        ]);
        return { currency: budget.currency, goals: goals.map((goal) => show(goal, budget, day)) };
      },
    })
    .action({
      ...reads,
      name: 'get',
      description: 'Shows one goal with its progress.',
      inputSchema: z.object(reference),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const goal = await findOwned<Goal>(db, 'goal', budget.id, input.goal);
        return { currency: budget.currency, ...show(goal, budget, await today()) };
      },
    })
    .action({
      ...reads,
      name: 'forecast',
      description:
        'What if: in which month a goal is reached if an amount is set aside each month, and what another target or day would need.',
      inputSchema: z.object({
        ...reference,
        monthly_amount: positiveAmountSchema
          .optional()
          .describe('Amount saved each month, beginning with the current one. Decimal text, not cents'),
        target: fields.target.optional().describe('Another target. Default: that of the goal'),
        due_on: dateSchema.optional().describe('Another day. Default: that of the goal'),
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const day = await today();
        const goal = await findOwned<Goal>(db, 'goal', budget.id, input.goal);
        const assumed = {
          ...goal,
          target: input.target === undefined ? goal.target : parsePositive(input.target, budget.currency),
          due_on: input.due_on ?? goal.due_on,
        };
        const shown = { currency: budget.currency, ...show(assumed, budget, day) };
        if (input.monthly_amount === undefined) return shown;
        const monthly = parsePositive(input.monthly_amount, budget.currency);
        const months = divideUp(leftOf(assumed), monthly);
        if (months > 1_200n)
          throw new ErrToolFailed(
            `With ${input.monthly_amount} a month it takes more than 100 years. Choose more.`,
          );
        const reached = addMonths(monthOf(day), Math.max(0, Number(months) - 1));
        return {
          ...shown,
          monthly_amount: formatAmount(monthly, budget.currency),
          months_needed: Number(months),
          reached_in_month: reached,
          is_in_time: assumed.due_on === null ? null : reached <= monthOf(assumed.due_on),
        };
      },
    })
    .action({
      ...adds,
      name: 'create',
      description: 'Creates a savings goal with nothing saved yet.',
      inputSchema: z.object({
        name: nameField.describe('Name of the goal'),
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
        return show(goal, budget, await today());
      },
    })
    .action({
      ...sets,
      name: 'update',
      description: 'Changes the target or the day of a goal.',
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
        return show(only(changed), budget, await today());
      },
    })
    .action({
      ...adds,
      name: 'contribute',
      description: 'Notes money as set aside for a goal, such as a holiday, or takes some back.',
      inputSchema: z.object({
        ...reference,
        amount: amountSchema.describe(
          'Amount to add. Decimal text such as "50.00", not cents; a negative amount takes money back',
        ),
        ...requestIdField,
      }),
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
              throw new ErrToolFailed(
                `The request id "${input.request_id}" was used for another contribution.`,
              );
            return show(goal, budget, date);
          }
          if (goal.saved + amount < 0n)
            throw new ErrToolFailed(
              `Only ${formatAmount(goal.saved, budget.currency)} is saved for "${goal.name}".`,
            );
          const changed = await tx.query<Goal>(
            'update goals set saved = saved + $2 where id = $1 returning *',
            [goal.id, amount],
          );
          return show(only(changed), budget, date);
        });
      },
    })
    .action({
      ...removes,
      name: 'delete',
      description: 'Deletes a goal and the record of its contributions.',
      inputSchema: z.object(reference),
      confirm: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const goal = await findOwned<Goal>(db, 'goal', budget.id, input.goal);
        return `Delete the goal ${quote(goal.name)}, for which ${formatAmount(goal.saved, budget.currency)} ${budget.currency} are saved?`;
      },
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const goal = await findOwned<Goal>(db, 'goal', budget.id, input.goal);
        await db.query('delete from goals where id = $1', [goal.id]);
        return `The goal "${goal.name}" was deleted.`;
      },
    });
}

function show(goal: Goal, { currency }: Budget, today: string) {
  const { id, name, target, saved, due_on } = goal;
  const percent = Number(divideToEven(saved * 100n, target));
  const months = due_on === null ? undefined : BigInt(monthsUntil(today, due_on));
  return {
    id,
    name,
    target: formatAmount(target, currency),
    saved: formatAmount(saved, currency),
    left: formatAmount(leftOf(goal), currency),
    percent,
    due_on,
    needed_monthly: months === undefined ? null : formatAmount(divideUp(leftOf(goal), months), currency),
  };
}

function leftOf({ target, saved }: Goal): bigint {
  return target > saved ? target - saved : 0n;
}

/** Divides and rounds up, so that the parts are enough. */
function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** Counts the calendar months from `today` to `dueOn`, both included; at least one. */
function monthsUntil(today: string, dueOn: string): number {
  const index = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
  return Math.max(1, index(dueOn) - index(today) + 1);
}
