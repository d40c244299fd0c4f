import type { InputQuestion, ToolContext } from 'toolfold';
import { ErrInputUnavailable, ErrInvalidModel } from 'toolfold/errors';
import { digest, isInputRequired, missingCapabilities } from 'toolfold/internal';
import { canonicalJson, isJsonObject, patternProblem } from '@toolfold/schema/internal';

type AskContext = Pick<ToolContext, 'caller' | 'requestInput'>;

export interface UpstreamQuestion {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export type Questions = Readonly<Record<string, UpstreamQuestion>>;
export type Answers = Readonly<Record<string, unknown>>;

/** The capabilities of a caller that an upstream server may use. */
const askable = ['elicitation', 'sampling', 'roots'] as const;

export function askableCapabilities({ caller }: AskContext): Record<string, unknown> {
  const declared = caller.capabilities ?? {};
  return Object.fromEntries(
    askable.filter((name) => isJsonObject(declared[name])).map((name) => [name, declared[name]]),
  );
}

/**
 * Passes the questions of a server on to the caller. A caller that answers by calling again makes the server run again, so the key of a
 * question depends on its content: an answer never reaches a different question.
 */
export async function passQuestions(questions: Questions, context: AskContext): Promise<Answers> {
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

/** Rejects a question that the client cannot answer, because asking it would end the call. The server can continue without an answer. */
function assertAnswerable(questions: Questions, { caller: { capabilities } }: AskContext): void {
  const missing = capabilities && missingCapabilities(questions, capabilities);
  if (!missing) return;
  throw new ErrInputUnavailable(
    `The client of this call does not support ${Object.keys(missing).join(', ')}, so it cannot be asked.`,
  );
}

export function toQuestions(requests: Readonly<Record<string, unknown>>): Questions {
  return Object.fromEntries(
    Object.entries(requests).map(([key, request]) => {
      const { method, params } = isJsonObject(request) ? request : {};
      return [key, { method: String(method), params: isJsonObject(params) ? params : {} }];
    }),
  );
}

function keyOf(name: string, { method, params }: UpstreamQuestion): string {
  // These two fields differ each time the same question is asked.
  const { elicitationId: _, _meta: __, ...content } = params;
  return `upstream-${digest(canonicalJson([name, method, content])).slice(0, 22)}`;
}

/** Rejects URL questions if the caller answers by calling again: each run has a different URL, so the question would never be answered. */
function assertRepeatable(questions: Questions): void {
  if (!Object.values(questions).some(({ params }) => params['mode'] === 'url')) return;
  throw new ErrInputUnavailable(
    'The server behind this tool opens a page while the call runs, but this client answers questions only between calls.',
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
  throw new ErrInvalidModel(`The server asks an unknown kind of question: ${method.slice(0, 100)}.`);
}
