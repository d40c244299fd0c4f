import * as z from 'zod';
import { readEntries } from '../books/entries.js';
import { readyToAssign } from '../books/plan.js';
import { findBudget, findCategory, findOwned } from '../books/references.js';
import { applyMatches, findMatchedPayees, findMatches, findOverlaps } from '../books/rules.js';
import type { Rule } from '../books/rules.js';
import { only } from '../database/database.js';
import type { Finance } from '../finance.js';
import { formatAmount } from '../money.js';
import {
  adds,
  fitPage,
  lists,
  nameField,
  pageFields,
  pages,
  quote,
  removes,
  sets,
  toolInBudget,
} from './actions.js';

const reference = { rule: z.string().describe('Name or id of the rule') };
const optionalRule = {
  rule: reference.rule.optional().describe('Only this rule, by name or id. Default: all enabled rules'),
};
const fields = {
  payee_contains: z.string().trim().min(1).max(80).describe('Part of the name of a payee, in any case'),
  category: z.string().describe('Name or id of the category that the transactions get'),
  position: z
    .int()
    .min(1)
    .max(1_000)
    .describe('If several rules match, the one with the lowest position wins'),
  is_enabled: z.boolean().describe('Rules that are not enabled match nothing'),
};

/** At most this many ids are listed; the count covers all. */
const MAX_IDS = 500;

export function rulesTool(finance: Finance) {
  const { db, thisMonth } = finance;
  return toolInBudget('rules', finance)
    .description(
      'Rules that give transactions a category by the name of the payee. A category given with the transaction wins, then the first matching rule, then the usual category of the payee',
    )
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
        'Creates a rule: a payee, such as a shop, always gets that category on new transactions. rules/apply does older ones. Names other rules that match.',
      inputSchema: z.object({
        ...fields,
        name: nameField.describe('Name of the rule'),
        position: fields.position.default(100),
        is_enabled: fields.is_enabled.default(true),
      }),
      handler: async ({ input }) => {
        const { id } = await findBudget(db, input.budget);
        const category = await findCategory(db, id, input.category);
        const created = only(
          await db.query<Rule>(
            `insert into rules (budget_id, name, position, payee_contains, category_id, is_enabled)
             values ($1, $2, $3, $4, $5, $6) returning *`,
            [id, input.name, input.position, input.payee_contains, category.id, input.is_enabled],
          ),
        );
        return describe(id, created);
      },
    })
    .action({
      ...sets,
      name: 'update',
      description: 'Changes the given fields of a rule. Transactions keep their category.',
      inputSchema: z.object({ ...reference, ...z.object(fields).partial().shape }),
      handler: async ({ input }) => {
        const { id } = await findBudget(db, input.budget);
        const rule = await findOwned<Rule>(db, 'rule', id, input.rule);
        const category =
          input.category === undefined ? undefined : await findCategory(db, id, input.category);
        const changed = only(
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
        return describe(id, changed);
      },
    })
    .action({
      ...pages,
      name: 'preview',
      description: 'Shows what rules/apply would change, and changes nothing.',
      inputSchema: z.object({ ...optionalRule, ...pageFields }),
      handler: async ({ input }) => {
        const { id, currency } = await findBudget(db, input.budget);
        const rule = input.rule === undefined ? undefined : await findOwned<Rule>(db, 'rule', id, input.rule);
        const matches = await findMatches(db, id, rule?.id);
        const page = matches.slice(input.offset, input.offset + input.limit).map((match) => ({
          id: match.id,
          date: match.date,
          account: match.account,
          payee: match.payee,
          amount: formatAmount(match.amount, currency),
          rule: match.rule,
          category: match.category,
        }));
        const { rows, next_offset } = fitPage(page, { offset: input.offset, count: matches.length });
        return { currency, count: matches.length, next_offset, transactions: rows };
      },
    })
    .action({
      ...sets,
      name: 'apply',
      description:
        'Gives a category to all transactions without one that a rule matches. Without rule, it lists those that are left.',
      inputSchema: z.object(optionalRule),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const { id } = budget;
        const rule = input.rule === undefined ? undefined : await findOwned<Rule>(db, 'rule', id, input.rule);
        const changed = await db.transaction(async (tx) =>
          applyMatches(tx, await findMatches(tx, id, rule?.id)),
        );
        const byRule = new Map<string, { rule: string; category: string; count: number }>();
        for (const { rule: by, category } of changed) {
          const row = byRule.get(by) ?? { rule: by, category, count: 0 };
          byRule.set(by, { ...row, count: row.count + 1 });
        }
        const left = await readEntries(db, budget, { isUncategorized: true, limit: MAX_IDS });
        const ready = await readyToAssign(db, id, await thisMonth());
        return {
          count: changed.length,
          by_rule: [...byRule.values()].slice(0, 50),
          ids: changed.slice(0, MAX_IDS).map((match) => match.id),
          left_without_category: left.count,
          // Other rules match most of the remaining transactions.
          ...(rule ? {} : { left_ids: left.entries.map((entry) => entry.id) }),
          ready_to_assign: formatAmount(ready, budget.currency),
        };
      },
    })
    .action({
      ...removes,
      name: 'delete',
      description: 'Deletes a rule. Transactions keep the categories that it gave.',
      inputSchema: z.object(reference),
      confirm: async ({ input }) => {
        const { id } = await findBudget(db, input.budget);
        const rule = await findOwned<Rule>(db, 'rule', id, input.rule);
        const category = await findCategory(db, id, String(rule.category_id));
        return `Delete the rule ${quote(rule.name)}, which puts payees with ${quote(rule.payee_contains)} into ${quote(category.name)}?`;
      },
      handler: async ({ input }) => {
        const { id } = await findBudget(db, input.budget);
        const rule = await findOwned<Rule>(db, 'rule', id, input.rule);
        await db.query('delete from rules where id = $1', [rule.id]);
        return `The rule "${rule.name}" was deleted.`;
      },
    });

  /** A rule, the payees that it matches, and the other rules that match them too. */
  async function describe(budgetId: number, rule: Rule) {
    const payees = await findMatchedPayees(db, budgetId, rule.id);
    const category = await findCategory(db, budgetId, String(rule.category_id));
    const waiting = rule.is_enabled ? await findMatches(db, budgetId, rule.id) : [];
    return {
      id: rule.id,
      name: rule.name,
      payee_contains: rule.payee_contains,
      category: category.name,
      position: rule.position,
      is_enabled: rule.is_enabled,
      matching_payees: payees.slice(0, 20),
      matching_payee_count: payees.length,
      uncategorized_matches: waiting.length,
      overlapping_rules: await findOverlaps(db, budgetId, rule.id),
    };
  }
}
