import { readFileSync, statSync } from 'node:fs';
import { exceededLimit } from '../../values/json-limits.js';
import { CommandError, MAX_INPUT_BYTES } from '../../analysis/command-error.js';

const MAX_DEPTH = 100;
const MAX_VALUES = 5_000_000;

/** Reads a JSON file that a person or a model wrote. `advice` is for a user whose file does not exist. */
export function readJson(file: string, advice: string): unknown {
  const value = parse(file, readText(file, advice));
  const limit = exceededLimit(value, { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES });
  if (limit === 'maxDepth') throw new CommandError(`${file} is nested more than ${MAX_DEPTH} levels deep.`);
  if (limit === 'maxValues') throw new CommandError(`${file} has more than ${MAX_VALUES} values.`);
  return value;
}

function readText(file: string, advice: string): string {
  try {
    if (statSync(file).size > MAX_INPUT_BYTES)
      throw new CommandError(`${file} has more than ${MAX_INPUT_BYTES / 1024 / 1024} MiB.`);
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if ((error as { code?: unknown }).code === 'ENOENT')
      throw new CommandError(`${file} does not exist. ${advice}`);
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const hint = /^<{7} /m.test(text) ? ' It has conflict markers.' : '';
    throw new CommandError(`${file} is not valid JSON: ${(error as Error).message}.${hint}`);
  }
}
