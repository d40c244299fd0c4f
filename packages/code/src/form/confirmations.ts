import type { AnyRegistry, ExecuteRequest } from 'toolfold';
import {
  canConfirm,
  isInputRequired,
  isNever,
  missingCapabilities,
  refusalIn,
  unrefTimer,
} from 'toolfold/internal';
import { ErrCancelled, ErrInputUnavailable, ToolfoldError } from 'toolfold/errors';
import type { WireQuestions } from 'toolfold/internal';
import { isJsonObject } from '@toolfold/schema/internal';
import type { GuestError } from '../sandbox/sandbox.js';
import { describeInput, keyOfQuestion, toQuestion } from './confirm-question.js';
import { NotSaved, RUN_TTL_MS, savedRunsOf } from './saved-runs.js';
import type { ClaimedRun } from './saved-runs.js';
import type { Answers, PausedRun, WaitingCall } from './paused-run.js';

/** An error that the code can catch, or the answers with which the call runs; none if the action itself asked nothing. */
type Decision = { readonly error: GuestError } | { readonly answers: readonly Answers[] };

/** Decisions about waiting calls, by their ids. */
export type Confirmed = ReadonlyMap<number, Decision>;

export interface ResumedRun extends ClaimedRun {
  readonly confirmed: Confirmed;
}

/** Asks the person at the client about calls of one request of `run_code`. */
export interface Confirmations {
  /** The error of calls that need a confirmation if no person can be asked; otherwise `undefined`. */
  readonly rejection: GuestError | undefined;
  /**
   * Returns the run that the answers in this request continue, or `undefined` if the request starts a new run. Throws if the run has
   * expired or has already been continued. `addressOf` returns the current address of a path: an approval of another address counts as a
   * refusal.
   */
  resume(addressOf: (path: string) => string | undefined): Promise<ResumedRun | undefined>;
  /**
   * Asks about all waiting calls. Throws `InputRequired` if the answers arrive with a later request, and `ErrCancelled` if the request is
   * cancelled.
   */
  confirm(paused: PausedRun): Promise<Confirmed>;
}

/** Further calls that the code starts in the same round are refused. */
const MAX_QUESTIONS = 20;
/** Limits the arguments that a round shows to what a person can read at once. */
const MAX_READ = 16_000;
/** A request stops trying to save its runs after this many failures, because each attempt compresses the run. */
const MAX_UNSAVED = 3;

/**
 * Limits the requests with which a client answers for one run. The SDK's client stops after 8 or 10 with an error that does not list the
 * calls made, so the code gets a refusal before that.
 */
const MAX_ROUNDS = 8;

export function createConfirmations(
  registry: AnyRegistry,
  request: ExecuteRequest,
  signal: AbortSignal,
  schemaOf: (path: string) => unknown = () => undefined,
): Confirmations {
  const { ask, caller } = request;
  const saved = savedRunsOf(registry);
  let unsaved = 0;
  return {
    rejection: ask && canConfirm(caller?.capabilities) ? undefined : refusal(NO_FORMS),

    resume: async (addressOf) => {
      const earlier = ask?.earlier;
      if (!earlier) return undefined;
      let confirmed: Confirmed = new Map();
      const claimed = await saved.claim(earlier.memo, request, (paused) => {
        confirmed = decide(paused, earlier.answers, addressOf);
        return new Set([...confirmed].filter(([, decision]) => 'answers' in decision).map(([id]) => id));
      });
      return { ...claimed, confirmed };
    },

    confirm: async (given) => {
      if (!ask) return refuseAll(given, NO_FORMS);
      if (unsaved >= MAX_UNSAVED) return refuseAll(given, NOT_SAVED);
      const { waiting, questions } = review(given.waiting, schemaOf, caller?.capabilities);
      const paused = { ...given, waiting };
      if (Object.keys(questions).length === 0) return readAnswers(paused, {});
      let answers: Readonly<Record<string, unknown>> | undefined;
      try {
        const release = saved.hold(paused, request);
        const asking = ask(questions, () => {
          if (paused.rounds > MAX_ROUNDS) throw new NotSaved(TOO_MANY_ROUNDS);
          return saved.save(paused, request);
        });
        answers = await waitFor(asking, signal).finally(release);
      } catch (thrown) {
        if (isInputRequired(thrown)) throw thrown;
        if (signal.aborted) throw new ErrCancelled();
        if (thrown instanceof NotSaved) {
          unsaved++;
          return refuseAll(paused, thrown.message);
        }
        if (thrown instanceof ToolfoldError) return refuseAll(paused, NOT_TAKEN);
        throw thrown;
      }
      // Without answers the client would send the whole request again, which would repeat the calls of the run.
      return answers ? readAnswers(paused, answers) : refuseAll(paused, NO_FORMS);
    },
  };
}

/** Writes the questions. Calls that cannot be shown are refused, and their input is not saved. */
function review(
  calls: readonly WaitingCall[],
  schemaOf: (path: string) => unknown,
  capabilities: Readonly<Record<string, unknown>> | undefined,
): { readonly waiting: readonly WaitingCall[]; readonly questions: WireQuestions } {
  const asked = new Map<WaitingCall, readonly string[]>();
  let max = MAX_READ;
  const waiting: WaitingCall[] = [];
  for (const call of calls) {
    const isOneOfMany = asked.size >= MAX_QUESTIONS;
    const error = isOneOfMany ? declined(TOO_MANY_QUESTIONS) : cannotAnswer(call, capabilities);
    const shown = error ? undefined : describe(call, { schema: schemaOf(call.path), max });
    if (shown) {
      max -= shown.reduce((sum, { length }) => sum + length, 0);
      asked.set(call, shown);
      waiting.push(call);
    } else {
      waiting.push({ ...call, input: undefined, refusal: error ?? refusal(NOT_READABLE) });
    }
  }
  const questions = Array.from(asked, ([call, shown], index) =>
    call.questions
      ? Object.entries(call.questions).map(([key, question]) => [keyOfQuestion(call, key), question])
      : [[keyOfQuestion(call), toQuestion(call, { index, count: asked.size, shown })]],
  );
  return { waiting, questions: Object.fromEntries(questions.flat()) as WireQuestions };
}

/** Returns what a person reads about a call, or `undefined` if that is too much. */
function describe(
  { questions, input }: WaitingCall,
  options: Parameters<typeof describeInput>[1],
): readonly string[] | undefined {
  if (!questions) return describeInput(input, options);
  const text = JSON.stringify(questions);
  return text.length <= options.max ? [text] : undefined;
}

function cannotAnswer(
  { questions, address }: WaitingCall,
  capabilities: Readonly<Record<string, unknown>> | undefined,
): GuestError | undefined {
  if (!questions) return canConfirm(capabilities) ? undefined : refusal(NO_FORMS);
  const missing = Object.keys(missingCapabilities(questions, capabilities) ?? {}).join(', ');
  if (missing === '') return undefined;
  const message = `"${address}" asks a question, and the client cannot be asked: it does not support ${missing}.`;
  return { ...declined(message), name: 'ErrInputUnavailable', code: 'ErrInputUnavailable' };
}

const NO_FORMS =
  'needs the confirmation of a person, and the client cannot ask one: it does not support elicitation forms.';
const NOT_READABLE = `needs the confirmation of a person, who can read at most ${MAX_READ} characters of arguments at once, 16 levels deep. Pass less, or await such calls one by one.`;
const TOO_MANY_QUESTIONS = `At most ${MAX_QUESTIONS} calls can wait for a confirmation at once. Await them in smaller groups.`;
const TOO_MANY_ROUNDS = `needs the confirmation of a person, and a run can ask only ${MAX_ROUNDS} times. Start calls that need one together.`;
const NOT_SAVED = 'needs the confirmation of a person, and this run could not be saved until one answers.';
const NOT_TAKEN = 'needs the confirmation of a person, and the client did not answer the question.';

/** Suggests to make the same call outside of code, where the client may ask. */
function refusal(reason: string): GuestError {
  return {
    name: 'ErrCallNotAllowed',
    code: 'ErrCallNotAllowed',
    message: `The call ${reason} Call it directly with call_write_tool.`,
    suggestions: ['call_write_tool'],
  };
}

/**
 * The error of a call that a person or a rule refused. It suggests nothing, because calling the tool in another way would evade the person.
 */
export function declined(message: string): GuestError {
  return { name: 'ErrCallNotAllowed', code: 'ErrCallNotAllowed', message, suggestions: [] };
}

function refuseAll({ waiting }: PausedRun, reason: string): Confirmed {
  return new Map(waiting.map(({ id }) => [id, { error: refusal(reason) }]));
}

function readAnswers({ waiting }: PausedRun, answers: Answers): Confirmed {
  return new Map(
    waiting.map((call) => [call.id, call.refusal ? { error: call.refusal } : readDecision(call, answers)]),
  );
}

function readDecision(call: WaitingCall, answers: Answers): Decision {
  const { questions, address } = call;
  const answerTo = (key: string): unknown => (Object.hasOwn(answers, key) ? answers[key] : undefined);
  if (!questions) {
    const reason = refusalIn(answerTo(keyOfQuestion(call)), address);
    return reason === undefined ? { answers: [] } : { error: declined(reason) };
  }
  const given = Object.keys(questions).map((key) => [key, answerTo(keyOfQuestion(call, key))] as const);
  // The action reads and validates the answers itself.
  if (given.every(([, answer]) => isJsonObject(answer))) return { answers: [Object.fromEntries(given)] };
  return { error: declined(`Nobody answered the question of "${address}".`) };
}

/** Applies the answers of an earlier request. A path may name another tool by now. */
function decide(
  paused: PausedRun,
  answers: Readonly<Record<string, unknown>>,
  addressOf: (path: string) => string | undefined,
): Confirmed {
  const confirmed = new Map(readAnswers(paused, answers));
  for (const { id, path, address } of paused.waiting) {
    if (addressOf(path) !== address)
      confirmed.set(id, {
        error: declined(`The tool "${address}" has changed since a person was asked about the call.`),
      });
  }
  return confirmed;
}

/** Waits for the answers at most as long as a saved run is kept, and until the request is cancelled. */
async function waitFor<T>(asking: Promise<T>, signal: AbortSignal): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort: (() => void) | undefined;
  const ended = new Promise<never>((_, reject) => {
    abort = () => reject(new ErrCancelled());
    timer = setTimeout(() => reject(new ErrInputUnavailable('The client did not answer.')), RUN_TTL_MS);
    unrefTimer(timer);
    if (signal.aborted) abort();
    else if (!isNever(signal)) signal.addEventListener('abort', abort, { once: true });
  });
  // The question stays open if the request ends first, and its rejection must not be unhandled.
  asking.catch(() => undefined);
  try {
    return await Promise.race([asking, ended]);
  } finally {
    clearTimeout(timer);
    if (abort) signal.removeEventListener('abort', abort);
  }
}
