import type { Redactor } from '../../guards/redact/redactor.js';
import type { WireQuestion } from '../../protocol/input-required.js';
import { isJsonObject } from '../../values/json-value.js';
import type { WaitingCall } from './paused-run.js';

interface QuestionContext {
  readonly index: number;
  readonly count: number;
  /** Removes the credentials of the request. */
  readonly redactor: Redactor;
}

const MAX_TITLE = 80;
const MAX_ADDRESS = 200;
/** Lengths of the names and values of arguments, and of all of them together. */
const MAX_NAME = 60;
const MAX_VALUE = 300;
const MAX_INPUT = 4_000;

/** The key of the question about a call. Ids are unique in a run, so no answer can be taken for that of another call. */
export function keyOfQuestion({ id }: WaitingCall): string {
  return `call_${id}`;
}

/** Asks whether one call may run. */
export function toQuestion(call: WaitingCall, context: QuestionContext): WireQuestion {
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: describeCall(call, context),
      requestedSchema: {
        type: 'object',
        properties: {
          allow: {
            type: 'boolean',
            title: 'Allow this call',
            description: 'Allows this one call with exactly these arguments',
          },
        },
        required: ['allow'],
      },
    },
  };
}

/**
 * Every text of the call is JSON in one line, and only this function begins lines. So neither the code nor the author of a tool can
 * add a line that looks like part of the question.
 */
function describeCall(
  { address, title, destructive, input }: WaitingCall,
  { index, count, redactor }: QuestionContext,
): string {
  const tool = `${show(address, MAX_ADDRESS)}${title === undefined ? '' : ` (${show(title, MAX_TITLE)})`}`;
  const place = count > 1 ? ` (call ${index + 1} of ${count})` : '';
  const risk =
    destructive === true
      ? 'The tool is destructive.'
      : 'The tool does not declare whether it changes or destroys data.';
  return [
    `Code that a model wrote wants to call the tool ${tool}${place}. ${risk}`,
    ...describeInput(input, redactor),
    'Allow this call?',
  ].join('\n');
}

function describeInput(input: string | undefined, redactor: Redactor): readonly string[] {
  if (input === undefined) return ['Arguments: none'];
  const shown = redactor.value(parse(input));
  if (!isJsonObject(shown)) return [`Arguments: ${show(shown, MAX_VALUE)}`];
  const entries = Object.entries(shown);
  if (entries.length === 0) return ['Arguments: none'];
  const lines: string[] = [];
  let length = 0;
  for (const [name, value] of entries) {
    const line = `- ${show(name, MAX_NAME)}: ${show(value, MAX_VALUE)}`;
    length += line.length;
    if (length > MAX_INPUT) break;
    lines.push(line);
  }
  const more = entries.length - lines.length;
  return ['Arguments:', ...lines, ...(more > 0 ? [`- and ${more} more that are not shown`] : [])];
}

/** The sandbox writes the input as JSON, but other sandboxes are possible. */
function parse(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

/** JSON of a value in one line. Characters that have no shape or change the direction of text are escaped. */
function show(value: unknown, max: number): string {
  const text = (JSON.stringify(value) ?? 'null')
    .replace(INVISIBLE, escape)
    // A long gap could look like the end of a line.
    .replace(/ {3,}/g, escape);
  if (text.length <= max) return text;
  // A cut through a pair of surrogates would leave half a character.
  const cut = text.slice(0, max).replace(/\p{Cs}$/u, '');
  return `${cut}… (${text.length - cut.length} more characters)`;
}

/** Fillers, selectors and the empty Braille pattern count as letters and marks, but show nothing. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

function escape(characters: string): string {
  return Array.from(
    { length: characters.length },
    (_, index) => `\\u${characters.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
