import { exceededLimit } from '@toolfold/schema/internal';
import { CommandError, readTextFile } from '@toolfold/analysis/internal';

const MAX_DEPTH = 100;
const MAX_VALUES = 5_000_000;

/** Reads a JSON file that a person or a model wrote. `advice` completes the error if the file does not exist. */
export function readJson(file: string, advice: string): unknown {
  const value = parse(file, readTextFile(file, advice));
  const limit = exceededLimit(value, { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES });
  if (limit === 'maxDepth') throw new CommandError(`${file} is nested more than ${MAX_DEPTH} levels deep.`);
  if (limit === 'maxValues') throw new CommandError(`${file} has more than ${MAX_VALUES} values.`);
  return value;
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const hint = /^<{7} /m.test(text) ? ' It has conflict markers.' : '';
    throw new CommandError(`${file} is not valid JSON: ${(error as Error).message}.${hint}`);
  }
}
