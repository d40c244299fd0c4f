import { DefaultValidator } from '@toolfold/schema';
import type { JsonSchema } from '@toolfold/schema';
import type { Cut } from '../../src/guards/budget/describe-cuts.js';
import type { CallToolResult, ContentBlock } from 'toolfold';

export const write = (value: unknown): string => JSON.stringify(value);
export const bytesOf = (text: string): number => Buffer.byteLength(text);
export const accepting = (schema: JsonSchema) => {
  const validate = new DefaultValidator().compile(schema);
  return (value: unknown): boolean => validate(value).ok;
};

export const textOf = (block: ContentBlock | undefined): string => (block as { text: string }).text;
export const cutsOf = (result: CallToolResult): Cut[] => result._meta?.['toolfold/cut'] as Cut[];

/** Reads the value at a path. */
export function at(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], value);
}

/** Whether one value is the other with its lists, maps and texts cut to their beginning. */
export function isBeginning(part: unknown, whole: unknown): boolean {
  if (typeof whole === 'string') return typeof part === 'string' && whole.startsWith(part);
  if (typeof whole !== 'object' || whole === null) return Object.is(part, whole);
  if (typeof part !== 'object' || part === null || Array.isArray(part) !== Array.isArray(whole)) return false;
  const keys = Object.keys(part);
  return (
    keys.every((key, index) => key === Object.keys(whole)[index]) &&
    keys.every((key) => isBeginning(at(part, [key]), at(whole, [key])))
  );
}
