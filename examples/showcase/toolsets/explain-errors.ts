import type { Middleware } from 'toolfold';
import { Conflict } from '../errors.js';

/** Says in words what the database refuses by rule. */
export const explainErrors: Middleware = async (_call, next) => {
  try {
    return await next();
  } catch (error) {
    const { code, constraint } = error as { code?: unknown; constraint?: unknown };
    if (code === '23505')
      throw new Conflict(`That is there already (${String(constraint)}). Choose another name.`);
    if (code === '22003') throw new Conflict('The amounts become too large to be kept.');
    throw error;
  }
};
