import { assertOptions, isJsonObject, mapIn, namesIn } from '@toolfold/schema/internal';
import type { RootsAnswer, SamplingAnswer, WireQuestion } from 'toolfold';
import { ErrInputUnavailable } from 'toolfold/errors';
import type { Rule, Rules } from '@toolfold/schema/internal';

/** Records a question that the server asked, and the answer that it got. */
export interface AskedQuestion {
  /** `elicit` for forms and pages, `sample` for the client's model, `roots` for directories. */
  readonly kind: 'elicit' | 'sample' | 'roots';
  /** What a form or page tells the user; `undefined` for other questions. */
  readonly message: string | undefined;
  /** The parameters of the MCP request, as the server sent them. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The result that the server got; `undefined` if the question was not answered. */
  readonly answer: Readonly<Record<string, unknown>> | undefined;
}

/** The fields of a form, or what the user does with the question instead. `accept` opens a page. */
export type ElicitAnswer = Readonly<Record<string, unknown>> | 'accept' | 'decline' | 'cancel';

/** The text that the client's model returns, or its whole answer. */
export type SampleAnswer = string | SamplingAnswer;

/** One answer for every question, a list that is used up in order, or a function that gets the parameters of the question. */
type Script<Answer> =
  | Answer
  | readonly Answer[]
  | ((params: Readonly<Record<string, unknown>>) => Answer | Promise<Answer>);

/** Scripts how a test client answers the questions of handlers. */
export interface TestAnswers {
  /**
   * Answers forms and pages. An object fills in the fields that the form asks for. `false` makes a client that cannot be
   * asked. Default: questions fail the call.
   */
  readonly elicit?: Script<ElicitAnswer> | false;
  /** Answers for the client's model. `false` makes a client without a model. Default: questions fail the call. */
  readonly sample?: Script<SampleAnswer> | false;
  /** The directories of the client. `false` makes a client without directories. Default: questions fail the call. */
  readonly roots?: RootsAnswer['roots'] | false;
}

const script = (kinds: string): Rule => [
  (value) => value === false || typeof value === 'function' || typeof value === 'string' || isObject(value),
  `${kinds}, a list of these, a function or false`,
];
const rules: Rules<keyof TestAnswers> = {
  elicit: script('the fields of a form, "accept", "decline" or "cancel"'),
  sample: script('a text or a sampling answer'),
  roots: [(value) => value === false || Array.isArray(value), 'a list of { uri } or false'],
};

export function assertAnswers(place: string, answers: TestAnswers): void {
  assertOptions(place, answers, rules);
}

const methods = {
  'elicitation/create': 'elicit',
  'sampling/createMessage': 'sample',
  'roots/list': 'roots',
} as const;

export function capabilitiesFor({ elicit, sample, roots }: TestAnswers): Record<string, object> {
  return {
    ...(elicit === false ? {} : { elicitation: { form: {}, url: {} } }),
    ...(sample === false ? {} : { sampling: { tools: {} } }),
    ...(roots === false ? {} : { roots: {} }),
  };
}

export class ScriptedAnswers {
  readonly questions: AskedQuestion[] = [];
  readonly #answers: TestAnswers;
  /** Counts the answers of each list that are used up. */
  readonly #used = { elicit: 0, sample: 0 };

  constructor(answers: TestAnswers) {
    this.#answers = answers;
  }

  /** Returns the result for a question. Rejects with a message for the author of the test if there is no answer. */
  async answer({ method, params }: WireQuestion): Promise<Readonly<Record<string, unknown>>> {
    const kind = methods[method];
    const message = typeof params['message'] === 'string' ? params['message'] : undefined;
    const index = this.questions.push({ kind, message, params, answer: undefined }) - 1;
    const answer = await this.#find(kind, params);
    this.questions[index] = { kind, message, params, answer };
    return answer;
  }

  async #find(
    kind: AskedQuestion['kind'],
    params: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (kind === 'roots') {
      const { roots } = this.#answers;
      if (!roots) throw unanswered(kind, params, 'Pass answers: { roots: [{ uri }] }.');
      return { roots };
    }
    const given: unknown = this.#answers[kind];
    if (given === undefined || given === false)
      throw unanswered(kind, params, `Pass answers: { ${kind}: … } to createTestClient.`);
    if (typeof given === 'function') return read(kind, await given(params), params, false);
    if (!Array.isArray(given)) return read(kind, given, params, true);
    const at = this.#used[kind]++;
    if (at >= given.length)
      throw unanswered(kind, params, `All ${given.length} answers of answers.${kind} are used up.`);
    return read(kind, given[at], params, true);
  }
}

function read(
  kind: 'elicit' | 'sample',
  given: unknown,
  params: Readonly<Record<string, unknown>>,
  isFitted: boolean,
): Readonly<Record<string, unknown>> {
  if (kind === 'sample') {
    if (typeof given === 'string')
      return {
        role: 'assistant',
        model: 'test',
        content: { type: 'text', text: given },
        stopReason: 'endTurn',
      };
    if (isJsonObject(given)) return given;
    throw unanswered(
      kind,
      params,
      `answers.sample must give a text or a sampling answer, not ${nameOf(given)}.`,
    );
  }
  const isPage = params['mode'] === 'url';
  if (given === 'decline' || given === 'cancel') return { action: given };
  if (given === 'accept') {
    if (isPage) return { action: 'accept' };
    throw unanswered(kind, params, 'The question is a form: give its fields, such as { confirm: true }.');
  }
  if (!isJsonObject(given))
    throw unanswered(kind, params, `answers.elicit must give the fields of the form, not ${nameOf(given)}.`);
  if (isPage) return { action: 'accept' };
  return { action: 'accept', content: isFitted ? fit(given, params) : given };
}

/** Picks the fields that the form asks for, so that one object can answer several forms. */
function fit(
  given: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { properties, required } = mapIn(params['requestedSchema']);
  const missing = namesIn(required).filter((field) => given[field] === undefined);
  if (missing.length > 0)
    throw unanswered(
      'elicit',
      params,
      `The form requires ${missing.map((field) => `"${field}"`).join(' and ')}, and answers.elicit has only ${
        Object.keys(given).join(', ') || 'no fields'
      }.`,
    );
  return Object.fromEntries(
    Object.keys(mapIn(properties))
      .filter((field) => given[field] !== undefined)
      .map((field) => [field, given[field]]),
  );
}

const about = {
  elicit: 'the user',
  sample: "the client's model",
  roots: 'for the directories of the client',
} as const;

function unanswered(
  kind: AskedQuestion['kind'],
  { message }: Readonly<Record<string, unknown>>,
  hint: string,
): ErrInputUnavailable {
  const quoted = typeof message === 'string' ? `: "${message}"` : '';
  return new ErrInputUnavailable(`The handler asked ${about[kind]}${quoted}, and the test has no answer.`, {
    hint,
  });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function nameOf(value: unknown): string {
  return value === undefined ? 'undefined' : (JSON.stringify(value) ?? typeof value);
}
