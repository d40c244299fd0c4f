import type { IncomingMessage } from 'node:http';
import { appendBytes, noBytes, toLine } from 'toolfold/internal';
import { didYouMean, exceededTextLimit, nearestName } from '@toolfold/schema/internal';
import { ApiFailure } from './answers.js';

const MAX_BODY_BYTES = 1024 * 1024;
const LIMITS = { maxDepth: 32, maxValues: 100_000 } as const;

export async function readJsonBody(request: IncomingMessage, signal: AbortSignal): Promise<unknown> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new ApiFailure('The body must be JSON with content-type: application/json.', { status: 415 });
  const tooLarge = new ApiFailure('The body has more than 1 MiB.', { status: 413 });
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge;
  let bytes: Uint8Array = noBytes;
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    if (size + chunk.length > MAX_BODY_BYTES) throw tooLarge;
    bytes = appendBytes(bytes, size, chunk);
    size += chunk.length;
  }
  const text = new TextDecoder().decode(bytes.subarray(0, size));
  if (exceededTextLimit(text, LIMITS) !== undefined)
    throw new ApiFailure(
      `The body is nested deeper than ${LIMITS.maxDepth} levels, or has more than ${LIMITS.maxValues.toLocaleString('en')} values.`,
    );
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ApiFailure(`The body is not valid JSON: ${(error as Error).message}`);
  }
}

/** Parameters of a request. Missing optional ones are empty. */
export type Parameters<Name extends string> = Readonly<Record<Name, string>>;

/** Reads the query parameters. Rejects unknown, repeated and missing ones. Read repeatable ones with `getAll` instead. */
export function readParameters<Name extends string>(
  { searchParams, pathname }: URL,
  required: readonly Name[],
  optional: readonly Name[] = [],
  repeatable: readonly Name[] = [],
): Parameters<Name> {
  const known: readonly string[] = [...required, ...optional, ...repeatable];
  const values: Record<string, string> = Object.fromEntries(known.map((name) => [name, '']));
  const given = new Set<string>();
  for (const [name, value] of searchParams) {
    if (!known.includes(name))
      throw new ApiFailure(
        `${pathname} has no parameter "${toLine(name, 60)}".${didYouMean(nearestName(name, known))}`,
      );
    if (repeatable.includes(name as Name)) continue;
    if (given.has(name)) throw new ApiFailure(`The parameter "${name}" is given twice.`);
    given.add(name);
    values[name] = value;
  }
  for (const name of required)
    if (values[name] === '') throw new ApiFailure(`${pathname} needs the parameter "${name}".`);
  return values as Parameters<Name>;
}

/** Reads a value that must be one of the known names. */
export function readName<Name extends string>(what: string, given: string, known: readonly Name[]): Name {
  const found = known.find((name) => name === given);
  if (found !== undefined) return found;
  const nearest = nearestName(given, known);
  throw new ApiFailure(
    `There is no ${what} "${toLine(given, 60)}".${didYouMean(nearest) || ` Known: ${known.join(', ')}.`}`,
  );
}
