import type { InputQuestion } from '../define/input-question.js';
import type { ToolContext } from '../define/tool-definition.js';
import { ErrInputUnavailable, ErrInvalidModel } from '../errors.js';
import { digest } from '../values/digest.js';
import { isJsonObject, canonicalJson } from '../values/json-value.js';
import { patternProblem } from '../schema/patterns/patterns.js';
import { isInputRequired, missingCapabilities } from '../protocol/input-required.js';

/** What an upstream server wants to know, as it came. */
export interface UpstreamQuestion {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

type Answers = Readonly<Record<string, unknown>>;

/** What of a caller's abilities an upstream server may use. */
const askable = ['elicitation', 'sampling', 'roots'] as const;

export function askableCapabilities({ caller }: ToolContext): Record<string, unknown> {
  const declared = caller.capabilities ?? {};
  return Object.fromEntries(
    askable.filter((name) => isJsonObject(declared[name])).map((name) => [name, declared[name]]),
  );
}

/**
 * Puts the questions of a server to whoever called. Where the caller is asked by an answer and calls again, the server
 * is called again as well: a question is known by what it says, so that no answer is taken for another question.
 */
export async function passQuestions(
  questions: Readonly<Record<string, UpstreamQuestion>>,
  context: ToolContext,
): Promise<Answers> {
  assertAnswerable(questions, context);
  const keys = new Map(Object.entries(questions).map(([name, question]) => [name, keyOf(name, question)]));
  const asked = Object.fromEntries(
    Object.entries(questions).map(([name, question]) => [keys.get(name) as string, toQuestion(question)]),
  );
  const answers = (await context.requestInput(asked).catch((thrown: unknown) => {
    if (isInputRequired(thrown)) assertRepeatable(questions);
    throw thrown;
  })) as Answers;
  return Object.fromEntries([...keys].map(([name, key]) => [name, answers[key]]));
}

/** Asking a client what it cannot answer would end its call. A server can go on without. */
function assertAnswerable(
  questions: Readonly<Record<string, UpstreamQuestion>>,
  { caller: { capabilities } }: ToolContext,
): void {
  const missing = capabilities && missingCapabilities(questions, capabilities);
  if (!missing) return;
  throw new ErrInputUnavailable(
    `There is nobody to ask: the client of this call cannot do ${Object.keys(missing).join(', ')}.`,
  );
}

function keyOf(name: string, { method, params }: UpstreamQuestion): string {
  // These two differ each time the same question is asked.
  const { elicitationId: _, _meta: __, ...said } = params;
  return `upstream-${digest(canonicalJson([name, method, said])).slice(0, 22)}`;
}

/** A page is for one run of a call. Its address would be another one when the call is run again, for ever. */
function assertRepeatable(questions: Readonly<Record<string, UpstreamQuestion>>): void {
  if (!Object.values(questions).some(({ params }) => params['mode'] === 'url')) return;
  throw new ErrInputUnavailable(
    'The server behind this tool sends the person to a page while the call runs, and this client is asked between calls.',
  );
}

function toQuestion({ method, params }: UpstreamQuestion): InputQuestion {
  const { task: _, _meta: __, ...rest } = params;
  if (method === 'roots/list') return { roots: true };
  if (method === 'sampling/createMessage') return { sampling: rest as never };
  const { mode = 'form', message, url, requestedSchema } = rest;
  if (method === 'elicitation/create' && typeof message === 'string') {
    if (mode === 'url' && typeof url === 'string') return { message, url };
    const isForm = mode === 'form' && isJsonObject(requestedSchema);
    const problem = isForm ? patternProblem(requestedSchema) : undefined;
    if (problem !== undefined)
      throw new ErrInvalidModel(`The server asks with a schema that cannot be used: ${problem}.`);
    if (isForm) return { message, schema: requestedSchema };
  }
  throw new ErrInvalidModel(`The server asks for something that is not known: ${method.slice(0, 100)}.`);
}
