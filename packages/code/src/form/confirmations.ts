import type { AnyRegistry, ExecuteRequest } from 'toolfold';
import { isInputRequired, isNever, missingCapabilities, unrefTimer } from 'toolfold/internal';
import { ErrCancelled, ErrInputUnavailable, ToolfoldError } from 'toolfold/errors';
import type { WireQuestions } from 'toolfold/internal';
import { isJsonObject } from '@toolfold/schema/internal';
import type { GuestError } from '../sandbox/sandbox.js';
import { describeInput, keyOfQuestion, toQuestion } from './confirm-question.js';
import { NotSaved, RUN_TTL_MS, savedRunsOf } from './saved-runs.js';
import type { ClaimedRun } from './saved-runs.js';
import type { PausedRun, WaitingCall } from './paused-run.js';

/** Maps the id of each waiting call to the error that the code can catch, or to `undefined` if the call may run. */
export type Confirmed = ReadonlyMap<number, GuestError | undefined>;

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
    rejection: ask && canAnswer(caller?.capabilities) ? undefined : refusal(NO_FORMS),

    resume: async (addressOf) => {
      const earlier = ask?.earlier;
      if (!earlier) return undefined;
      let confirmed: Confirmed = new Map();
      const claimed = await saved.claim(earlier.memo, request, (paused) => {
        confirmed = decide(paused, earlier.answers, addressOf);
        return new Set([...confirmed].filter(([, error]) => error === undefined).map(([id]) => id));
      });
      return { ...claimed, confirmed };
    },

    confirm: async (given) => {
      if (!ask || !canAnswer(caller?.capabilities)) return refuseAll(given, NO_FORMS);
      if (unsaved >= MAX_UNSAVED) return refuseAll(given, NOT_SAVED);
      const { waiting, questions } = review(given.waiting, schemaOf);
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
): { readonly waiting: readonly WaitingCall[]; readonly questions: WireQuestions } {
  const asked = new Map<WaitingCall, readonly string[]>();
  let max = MAX_READ;
  const waiting: WaitingCall[] = [];
  for (const call of calls) {
    const isOneOfMany = asked.size >= MAX_QUESTIONS;
    const shown = isOneOfMany ? undefined : describeInput(call.input, { schema: schemaOf(call.path), max });
    if (shown) {
      max -= shown.reduce((sum, { length }) => sum + length, 0);
      asked.set(call, shown);
      waiting.push(call);
    } else {
      const error = isOneOfMany ? declined(TOO_MANY_QUESTIONS) : refusal(NOT_READABLE);
      waiting.push({ ...call, input: undefined, refusal: error });
    }
  }
  const questions = Array.from(asked, ([call, shown], index) => [
    keyOfQuestion(call),
    toQuestion(call, { index, count: asked.size, shown }),
  ]);
  return { waiting, questions: Object.fromEntries(questions) };
}

const form = { elicitation: { method: 'elicitation/create', params: { mode: 'form' } } };

function canAnswer(capabilities: Readonly<Record<string, unknown>> | undefined): boolean {
  return missingCapabilities(form, capabilities) === undefined;
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
  return new Map(waiting.map(({ id }) => [id, refusal(reason)]));
}

/** Only an accepted form with `allow: true` is an approval. Every other or missing answer is a refusal. */
function readAnswers({ waiting }: PausedRun, answers: Readonly<Record<string, unknown>>): Confirmed {
  return new Map(
    waiting.map((call) => {
      const key = keyOfQuestion(call);
      const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
      return [call.id, call.refusal ?? readAnswer(call, answer)];
    }),
  );
}

function readAnswer({ address }: WaitingCall, answer: unknown): GuestError | undefined {
  const { action, content } = isJsonObject(answer) ? answer : {};
  if (action === 'accept') {
    const isAllowed = isJsonObject(content) && Object.hasOwn(content, 'allow') && content['allow'] === true;
    return isAllowed ? undefined : declined(`A person declined this call of "${address}".`);
  }
  if (action === 'decline') return declined(`A person declined this call of "${address}".`);
  if (action === 'cancel') return declined(`A person closed the question about this call of "${address}".`);
  return declined(`Nobody answered the question about this call of "${address}".`);
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
      confirmed.set(
        id,
        declined(`The tool "${address}" has changed since a person was asked about the call.`),
      );
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
