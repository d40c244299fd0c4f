import type { Middleware } from 'toolfold';
import { ErrToolFailed } from 'toolfold/errors';

/** Things with unique names, by the index that enforces it. */
const named: ReadonlyMap<unknown, string> = new Map([
  ['budgets_name', 'a budget'],
  ['accounts_name', 'an account'],
  ['categories_name', 'a category'],
  ['payees_name', 'a payee'],
  ['rules_name', 'a rule'],
  ['goals_name', 'a goal'],
]);

/** Explains constraint errors of the database. */
export const explainErrors: Middleware = async (_call, next) => {
  try {
    return await next();
  } catch (error) {
    const { code, constraint } = error as { code?: unknown; constraint?: unknown };
    const what = code === '23505' ? named.get(constraint) : undefined;
    if (what === 'a payee')
      throw new ErrToolFailed('There is a payee of that name already. Combine the two with payees/merge.');
    if (what !== undefined) throw new ErrToolFailed(`There is ${what} of that name already. Choose another.`);
    if (code === '22003') throw new ErrToolFailed('A number is too large to be kept.');
    if (code === '22021') throw new ErrToolFailed('Text must not hold the character U+0000.');
    throw error;
  }
};
