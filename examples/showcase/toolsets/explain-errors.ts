import type { Middleware } from 'toolfold';
import { Conflict, InvalidInput } from '../errors.js';

/** Says in words what the database refuses by rule. */
export const explainErrors: Middleware = async (_call, next) => {
  try {
    return await next();
  } catch (error) {
    const { code, constraint } = error as { code?: unknown; constraint?: unknown };
    if (code === '23505')
      throw new Conflict(`That is there already (${String(constraint)}). Choose another name.`);
    if (code === '22003') throw new InvalidInput('A number is too large to be kept.');
    if (code === '22021') throw new InvalidInput('Text must not hold the character U+0000.');
    throw error;
  }
};
