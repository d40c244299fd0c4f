import * as z from 'zod';
import { findBudget, findCategory, findOwned } from '../books/references.js';
import { applyMatches, findMatches } from '../books/rules.js';
import type { Rule } from '../books/rules.js';
import { only } from '../database/database.js';
import type { Finance } from '../finance.js';
import { formatAmount } from '../money.js';
import { adds, lists, nameField, removes, sets, toolInBudget } from './actions.js';

const reference = { rule: z.string().describe('Name or id of the rule') };
const fields = {
  payee_contains: z.string().trim().min(1).max(80).describe('Part of the name of a payee'),
  category: z.string().describe('Name or id of the category that it gets'),
  position: z.int().min(1).max(1_000).describe('The rule with the lowest wins'),
  is_enabled: z.boolean(),
};

export function rulesTool(finance: Finance) {
  const { db } = finance;
  return toolInBudget('rules', finance)
    .description('Rules that give transactions a category by the name of the payee')
    .action({
      ...lists,
      name: 'list',
      description: 'Lists rules in the order in which they are tried.',
      handler: async ({ input }) => {
        const { id } = await findBudget(db, input.budget);
        return db.query(
          `select r.id, r.name, r.position, r.payee_contains, c.name as category, r.is_enabled
           from rules r join categories c on c.id = r.category_id where r.budget_id = $1 order by r.position, r.id`,
          [id],
        );
      },
    })
    .action({
      ...adds,
      name: 'create',
      description:
        'Creates a rule: a payee, such as a shop, always gets that category. It counts for new transactions; apply makes it count for older ones.',
      inputSchema: z.object({
        ...fields,
        name: nameField,
        position: fields.position.default(100),
        is_enabled: fields.is_enabled.default(true),
      }),
      handler: async ({ input }) => {
        const { id } = await findBudget(db, input.budget);
        const category = await findCategory(db, id, input.category);
        return only(
          await db.query<Rule>(
            `insert into rules (budget_id, name, position, payee_contains, category_id, is_enabled)
             values ($1, $2, $3, $4, $5, $6) returning *`,
            [id, input.name, input.position, input.payee_contains, category.id, input.is_enabled],
          ),
        );
      },
    })
    .action({
      ...sets,
      name: 'update',
      description: 'Changes a rule. What is left out stays as it is.',
      inputSchema: z.object({ ...reference, ...z.object(fields).partial().shape }),
      handler: async ({ input }) => {
        const { id } = await findBudget(db, input.budget);
        const rule = await findOwned<Rule>(db, 'rule', id, input.rule);
        const category =
          input.category === undefined ? undefined : await findCategory(db, id, input.category);
        return only(
          await db.query<Rule>(
            `update rules set payee_contains = $2, category_id = $3, position = $4, is_enabled = $5
             where id = $1 returning *`,
            [
              rule.id,
              input.payee_contains ?? rule.payee_contains,
              category?.id ?? rule.category_id,
              input.position ?? rule.position,
              input.is_enabled ?? rule.is_enabled,
            ],
          ),
        );
      },
    })
    .action({
      ...lists,
      name: 'preview',
      description: 'Shows which transactions without a category would get one.',
      inputSchema: z.object({ rule: reference.rule.optional() }),
      handler: async ({ input }) => {
        const { id, currency } = await findBudget(db, input.budget);
        const rule = input.rule === undefined ? undefined : await findOwned<Rule>(db, 'rule', id, input.rule);
        const matches = await findMatches(db, id, rule?.id);
        return matches.map(({ date, account, payee, amount, rule: by, category }) => ({
          date,
          account,
          payee,
          amount: formatAmount(amount, currency),
          rule: by,
          category,
        }));
      },
    })
    .action({
      ...sets,
      name: 'apply',
      description: 'Gives a category to transactions that have none, by all rules or by one.',
      inputSchema: z.object({ rule: reference.rule.optional() }),
      handler: async ({ input }) => {
        const { id } = await findBudget(db, input.budget);
        const rule = input.rule === undefined ? undefined : await findOwned<Rule>(db, 'rule', id, input.rule);
        const categorized = await db.transaction(async (tx) =>
          applyMatches(tx, await findMatches(tx, id, rule?.id)),
        );
        return { categorized };
      },
    })
    .action({
      ...removes,
      name: 'delete',
      description: 'Deletes a rule. Categories that it gave stay.',
      inputSchema: z.object(reference),
      handler: async ({ input }) => {
        const { id } = await findBudget(db, input.budget);
        const rule = await findOwned<Rule>(db, 'rule', id, input.rule);
        await db.query('delete from rules where id = $1', [rule.id]);
        return `The rule "${rule.name}" is gone.`;
      },
    });
}
