import { exceededTextLimit, isJsonObject, mapIn } from '@toolfold/schema/internal';
import { ALLOW_FORM, digest, showValue } from 'toolfold/internal';
import type { WireQuestion } from 'toolfold';
import type { WaitingCall } from './paused-run.js';

interface QuestionContext {
  readonly index: number;
  readonly count: number;
  readonly shown: readonly string[];
}

const MAX_TITLE = 80;
const MAX_ADDRESS = 200;
/** The question shows longer values at its end. */
const MAX_VALUE = 300;
/** A person cannot read larger arguments. */
const readable = { maxDepth: 16, maxValues: 5_000 };

/** Returns the key of the question about a call, or of a question with a key that its action asks. Ids are unique in a run, so no answer can be taken for that of another call. */
export function keyOfQuestion({ id }: WaitingCall, key?: string): string {
  return key === undefined ? `call_${id}` : `call_${id}_${key}`;
}

export function toQuestion(call: WaitingCall, context: QuestionContext): WireQuestion {
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: describeCall(call, context),
      requestedSchema: ALLOW_FORM,
    },
  };
}

/**
 * Describes a call to the person. Every text of the call is JSON in one line, and only this function begins lines, so neither the code nor
 * the author of a tool can add a line that looks like part of the question.
 */
function describeCall(
  { address, title, destructive }: WaitingCall,
  { index, count, shown }: QuestionContext,
): string {
  const tool = `${showValue(address, MAX_ADDRESS)}${title === undefined ? '' : ` (${showValue(title, MAX_TITLE)})`}`;
  const place = count > 1 ? ` (call ${index + 1} of ${count})` : '';
  const risk =
    destructive === true
      ? 'The tool is destructive.'
      : 'The tool does not declare whether it changes or destroys data.';
  return [
    `Code that a model wrote wants to call the tool ${tool}${place}. ${risk}`,
    ...shown,
    'Allow this call?',
  ].join('\n');
}

/**
 * Shows all arguments of a call in the order of the schema. Returns `undefined` if they take more than `max` characters or cannot be shown
 * completely, because a person must not approve hidden arguments. Nothing is redacted: the code could give any value the name or the form of a
 * credential, and it has no access to those of the request.
 */
export function describeInput(
  input: string | undefined,
  { schema, max }: { readonly schema: unknown; readonly max: number },
): readonly string[] | undefined {
  if (input === undefined) return ['Arguments: none'];
  if (input.length > max || exceededTextLimit(input, readable) !== undefined) return undefined;
  // Some sandboxes send `undefined` as the JSON value `null`.
  const parsed = sortFields(parse(input) ?? {}, schema);
  if (!isJsonObject(parsed)) return undefined;
  const given = Object.entries(parsed);
  if (given.length === 0) return ['Arguments: none'];
  const lines = ['Arguments:'];
  const long: string[] = [];
  for (const [name, value] of given) {
    const line = `- ${showValue(name)}: ${showValue(value)}`;
    const isLong = line.length > MAX_VALUE;
    lines.push(isLong ? `- ${showValue(name)}: ${summarize(value)}, shown below` : line);
    if (isLong) long.push(line);
  }
  const all = long.length > 0 ? [...lines, 'In full:', ...long] : lines;
  return all.reduce((sum, { length }) => sum + length, 0) > max ? undefined : all;
}

/** Sorts fields by the schema, then by name. Otherwise code could hide one field after many others. */
function sortFields(value: unknown, schema: unknown): unknown {
  const { properties, items } = mapIn(schema);
  if (Array.isArray(value)) return value.map((item) => sortFields(item, items));
  if (!isJsonObject(value)) return value;
  const known = mapIn(properties);
  const names = new Set([...Object.keys(known), ...Object.keys(value).toSorted()]);
  return Object.fromEntries(
    [...names]
      .filter((name) => Object.hasOwn(value, name))
      .map((name) => [name, sortFields(value[name], known[name])]),
  );
}

/** Returns the length and the digest of a value, so that the person can compare it with a file. */
function summarize(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${text.length} characters (SHA-256 ${digest(text, 'hex')})`;
}

/** QuickJS always sends JSON, but an author's own sandbox may not. */
function parse(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}
