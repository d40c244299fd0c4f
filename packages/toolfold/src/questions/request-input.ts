import { describeIssues, isJsonObject } from '@toolfold/schema/internal';
import type { WireQuestion, WireQuestions } from '../protocol/input-required.js';
import { InputRequired } from '../protocol/input-required.js';
import { readObject } from '../define/read-definition.js';
import type { InputQuestion, RequestInput } from '../define/input-question.js';
import {
  ErrInputUnavailable,
  ErrInvalidModel,
  ErrInvalidResult,
  ErrValidationFailed,
} from '@toolfold/schema/errors';
import type { JsonSchemaObject, ReadSchema } from '@toolfold/schema';

/**
 * Asks the client of a transport. Resolves to all answers in MCP's form, or to `undefined` if the client has to be asked
 * first and will send its request again. May throw `InputRequired` to ask fewer questions or to attach a state.
 */
export interface AskClient {
  /**
   * `memo` is called if the answers arrive with a later request, which then has its value as `earlier.memo`. Such a question is always
   * asked, even if the current request has answers under its keys.
   */
  (questions: WireQuestions, memo?: () => Promise<unknown>): Promise<Answers | undefined>;
  /** Set if the request answers questions that came with a memo. */
  readonly earlier?: EarlierQuestions | undefined;
}

/** Answers in MCP's form, by the keys of their questions. */
type Answers = Readonly<Record<string, unknown>>;

/** Questions and answers of an earlier request. */
export interface EarlierQuestions {
  /** The value that `memo` returned when the questions were asked. */
  readonly memo: unknown;
  /** All answers that the client sent, by key. The client may have left some out, or sent others. */
  readonly answers: Answers;
}

export const noClientToAsk: RequestInput = () =>
  tolerate(
    Promise.reject(
      new ErrInputUnavailable(
        'No client can be asked: the call did not come from a client that supports questions.',
      ),
    ),
  );

interface Asked {
  readonly wire: WireQuestion;
  readonly read: (key: string, answer: unknown) => unknown;
}

/** Counts the calls of `requestInput` whose answers the handler of a request has not awaited. */
export const unawaited = new WeakMap<object, number>();

/** Implements `context.requestInput`. The time in which a person answers does not count towards the timeout of the call. */
export function putQuestions(
  questions: Questions,
  request: { readonly ask?: AskClient | undefined },
  timeout?: { disarm(): void; arm(): void },
): Promise<never> {
  const { ask } = request;
  if (ask) timeout?.disarm();
  const answers: Promise<unknown> = ask
    ? tolerate(answersTo(questions, ask).finally(() => timeout?.arm()))
    : noClientToAsk({});
  const count = (change: number): unknown => unawaited.set(request, (unawaited.get(request) ?? 0) + change);
  count(1);
  let isAwaited = false;
  return Object.assign(answers, {
    // `await` calls `then` only of promises with another constructor.
    constructor: undefined,
    then: (...handlers: Parameters<Promise<unknown>['then']>) => {
      if (!isAwaited) count(-1);
      isAwaited = true;
      return Promise.prototype.then.apply(answers, handlers);
    },
  }) as unknown as Promise<never>;
}

/** Throws if the handler ran on without the answers to its questions. Otherwise the author would learn of it from the effects. */
export function assertAwaited(request: object, what: string): void {
  if ((unawaited.get(request) ?? 0) === 0) return;
  throw new ErrInvalidResult(`${what} did not await context.requestInput(), so it ran without the answers.`, {
    hint: 'Write await context.requestInput(…).',
  });
}

/** Prevents an unhandled rejection, because a handler may do other work before it awaits the answers. */
function tolerate(answers: Promise<unknown>): Promise<never> {
  answers.catch(() => undefined);
  return answers as Promise<never>;
}

type Questions = Readonly<Record<string, InputQuestion>>;

async function answersTo(questions: Questions, ask: AskClient): Promise<unknown> {
  const asked = new Map(
    Object.entries(questions).map(([key, question]) => [key, toAsked(key, question)] as const),
  );
  const wire = Object.fromEntries([...asked].map(([key, question]) => [key, question.wire]));
  const answers = await ask(wire);
  if (!answers) throw new InputRequired(wire);
  const read = [...asked].map(
    async ([key, question]) => [key, await question.read(key, answers[key])] as const,
  );
  return Object.fromEntries(await Promise.all(read));
}

function toAsked(key: string, question: InputQuestion): Asked {
  if (!isJsonObject(question as unknown)) throw noQuestion(key);
  if ('sampling' in question)
    return { wire: { method: 'sampling/createMessage', params: question.sampling }, read: readSampling };
  if ('roots' in question) return { wire: { method: 'roots/list', params: {} }, read: readRoots };
  const { message } = question;
  if ('url' in question) {
    const params = { mode: 'url', message, url: question.url, elicitationId: crypto.randomUUID() };
    return { wire: { method: 'elicitation/create', params }, read: readAction };
  }
  if (!('schema' in question)) throw noQuestion(key);
  const schema = readObject(question.schema, `Question "${key}"`);
  const { $schema: _, ...requestedSchema } = schema.jsonSchema;
  assertForm(key, requestedSchema);
  return {
    wire: { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } },
    read: (name, answer) => readForm(name, answer, schema),
  };
}

const formats: ReadonlySet<unknown> = new Set([undefined, 'email', 'uri', 'date', 'date-time']);

/** Clients reject forms with other fields, and say nothing about the reason. */
function assertForm(key: string, { properties }: JsonSchemaObject): void {
  const wrong = Object.entries(properties ?? {}).find(([, field]) => !isFormField(field));
  if (!wrong) return;
  throw new ErrInvalidModel(
    `Question "${key}" cannot have the field "${wrong[0]}": MCP does not allow its type in a form.`,
    {
      hint: 'Fields of a form are texts (format: email, uri, date or date-time), numbers, booleans, a choice of texts, or a list of chosen texts.',
    },
  );
}

function isFormField(field: unknown): boolean {
  const { type, format, items } = field as JsonSchemaObject;
  if (type === 'string') return formats.has(format);
  if (type !== 'array') return type === 'number' || type === 'integer' || type === 'boolean';
  return isJsonObject(items) && (Array.isArray(items['enum']) || Array.isArray(items['anyOf']));
}

function noQuestion(key: string): ErrInvalidModel {
  return new ErrInvalidModel(`Question "${key}" has neither a schema, a url, sampling nor roots.`);
}

/** Validates an answer like arguments, because it comes from the client. */
async function readForm(key: string, answer: unknown, schema: ReadSchema): Promise<object> {
  const { action } = readAction(key, answer);
  if (action !== 'accept') return { action };
  const checked = await schema.validate(isJsonObject(answer) ? answer['content'] : undefined);
  if (checked.ok) return { action, content: checked.value };
  const issues = checked.issues.map(({ path, message }) => ({ path: [key, ...path], message }));
  throw new ErrValidationFailed(`Validation failed: ${describeIssues(issues)}`);
}

function readAction(key: string, answer: unknown): { readonly action: string } {
  const action = isJsonObject(answer) ? answer['action'] : undefined;
  if (action === 'accept' || action === 'decline' || action === 'cancel') return { action };
  throw notAnAnswer(key);
}

function readSampling(key: string, answer: unknown): unknown {
  const { role, model, content } = isJsonObject(answer) ? answer : {};
  const isValid = Array.isArray(content) ? content.every(isSampledBlock) : isSampledBlock(content);
  if ((role === 'assistant' || role === 'user') && typeof model === 'string' && isValid) return answer;
  throw notAnAnswer(key);
}

const requiredTexts: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['audio', ['data', 'mimeType']],
  ['tool_use', ['id', 'name']],
]);

function isSampledBlock(block: unknown): boolean {
  if (!isJsonObject(block)) return false;
  if (block['type'] === 'tool_use' && !isJsonObject(block['input'])) return false;
  return requiredTexts.get(block['type'])?.every((name) => typeof block[name] === 'string') ?? false;
}

function readRoots(key: string, answer: unknown): unknown {
  const roots = isJsonObject(answer) ? answer['roots'] : undefined;
  if (Array.isArray(roots) && roots.every(isRoot)) return answer;
  throw notAnAnswer(key);
}

function isRoot(root: unknown): boolean {
  return isJsonObject(root) && typeof root['uri'] === 'string';
}

function notAnAnswer(key: string): ErrValidationFailed {
  return new ErrValidationFailed(`Validation failed: ${key}: is not an answer`);
}
