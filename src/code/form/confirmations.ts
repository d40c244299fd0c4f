import type { ExecuteRequest } from '../../engine/request.js';
import { isNever, redactorFor } from '../../engine/request-context.js';
import { ErrCancelled, ErrInputUnavailable, ToolfoldError } from '../../errors.js';
import type { Redactor } from '../../guards/redact/redactor.js';
import { isInputRequired, missingCapabilities } from '../../protocol/input-required.js';
import type { WireQuestion, WireQuestions } from '../../protocol/input-required.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { nextTurn } from '../../search/index/slices.js';
import { unrefTimer } from '../../runtime/timers.js';
import { isJsonObject } from '../../values/json-value.js';
import type { GuestError } from '../sandbox/sandbox.js';
import { keyOfQuestion, toQuestion } from './confirm-question.js';
import { NotSaved, RUN_TTL_MS, savedRunsOf } from './saved-runs.js';
import type { CallNote, PausedRun, WaitingCall } from './paused-run.js';

/** The decision about each waiting call, by its id: `undefined` if the call may run, otherwise the error that the code can catch. */
export type Confirmed = ReadonlyMap<number, GuestError | undefined>;

/** A run that this request continues. No other request can continue it. */
export interface ResumedRun {
  readonly paused: PausedRun;
  readonly snapshot: Uint8Array;
  readonly confirmed: Confirmed;
  /** Saves the calls made so far, for the error that the caller gets if this process dies before `end`. */
  note(notes: readonly CallNote[]): void;
  /** Call this when the request ends in any way, also with other questions. */
  end(notes: readonly CallNote[]): Promise<void>;
  /** Lets the client send its answers again. Call this instead of `end` if the run could not be continued and made no call. */
  release(): Promise<void>;
}

/** Asks the person at the client about calls of one request of `run_code`. */
export interface Confirmations {
  /** Why no person can be asked, as the error of a call that needs a confirmation; `undefined` if one can be asked. */
  readonly rejection: GuestError | undefined;
  /**
   * Returns the run that the answers in this request continue; `undefined` if the request starts a new run. Throws if the run has
   * expired or has already been continued. `addressOf` returns the current address of a path: an approval of another address
   * counts as a refusal.
   */
  resume(addressOf: (path: string) => string | undefined): Promise<ResumedRun | undefined>;
  /**
   * Asks about all waiting calls. Throws `InputRequired` if the answers arrive with a later request, and `ErrCancelled` if the
   * request is cancelled.
   */
  confirm(paused: PausedRun): Promise<Confirmed>;
}

/** Questions of one round. Code that starts more calls at once gets refusals for the others. */
const MAX_QUESTIONS = 20;
/** Characters of JSON in the arguments of a call. Nobody can review more, and showing more would take too long. */
const MAX_INPUT = 65_536;
/** Runs of one request that cannot be saved. Each takes time to compress, so further ones are not tried. */
const MAX_UNSAVED = 3;

/**
 * Requests of a client with answers for one run. The SDK stops after 8 or 10 of them with an error that does not say which calls were
 * made, so the code gets a refusal before that.
 */
const MAX_ROUNDS = 8;

export function createConfirmations(
  registry: AnyRegistry,
  request: ExecuteRequest,
  signal: AbortSignal,
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
      const paused = { ...given, waiting: given.waiting.map(refuseUnasked) };
      if (!ask || !canAnswer(caller?.capabilities)) return refuseAll(paused, NO_FORMS);
      const asked = paused.waiting.filter(({ refusal: refused }) => !refused);
      if (asked.length === 0) return readAnswers(paused, {});
      if (unsaved >= MAX_UNSAVED) return refuseAll(paused, NOT_SAVED);
      let answers: Readonly<Record<string, unknown>> | undefined;
      try {
        const questions = await toQuestions(asked, redactorFor(request));
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

/** Refuses calls about which no person is asked. They need no input, so it is not saved. */
function refuseUnasked(call: WaitingCall, index: number): WaitingCall {
  if (index >= MAX_QUESTIONS) return { ...call, input: undefined, refusal: declined(TOO_MANY_QUESTIONS) };
  if ((call.input?.length ?? 0) > MAX_INPUT) return { ...call, input: undefined, refusal: refusal(TOO_LONG) };
  return call;
}

/** Writes each question in its own turn of the event loop, because removing credentials from one can take 20 ms. */
async function toQuestions(asked: readonly WaitingCall[], redactor: Redactor): Promise<WireQuestions> {
  const questions: Record<string, WireQuestion> = {};
  for (const [index, call] of asked.entries()) {
    if (index > 0) await nextTurn();
    questions[keyOfQuestion(call)] = toQuestion(call, { index, count: asked.length, redactor });
  }
  return questions;
}

const form = { elicitation: { method: 'elicitation/create', params: { mode: 'form' } } };

function canAnswer(capabilities: Readonly<Record<string, unknown>> | undefined): boolean {
  return missingCapabilities(form, capabilities) === undefined;
}

const NO_FORMS =
  'needs the confirmation of a person, and the client cannot ask one: it does not support elicitation forms.';
const TOO_LONG = `needs the confirmation of a person, and its arguments have more than ${MAX_INPUT} characters.`;
const TOO_MANY_QUESTIONS = `At most ${MAX_QUESTIONS} calls can wait for a confirmation at once. Await them in smaller groups.`;
const TOO_MANY_ROUNDS = `needs the confirmation of a person, and a run can ask only ${MAX_ROUNDS} times. Start calls that need one together.`;
const NOT_SAVED = 'needs the confirmation of a person, and this run could not be saved until one answers.';
const NOT_TAKEN = 'needs the confirmation of a person, and the client did not answer the question.';

/** The error of a call that is not confirmed. The model can make the same call outside of code, where its client may ask. */
function refusal(reason: string): GuestError {
  return {
    name: 'ErrCallNotAllowed',
    code: 'ErrCallNotAllowed',
    message: `The call ${reason} Call it directly with call_write_tool.`,
    suggestions: ['call_write_tool'],
  };
}

/** The error of a call that a person, or a rule about questions, did not allow. Calling it in another way would evade the person. */
function declined(message: string): GuestError {
  return { name: 'ErrCallNotAllowed', code: 'ErrCallNotAllowed', message, suggestions: [] };
}

function refuseAll({ waiting }: PausedRun, reason: string): Confirmed {
  return new Map(waiting.map(({ id }) => [id, refusal(reason)]));
}

/** Only an accepted form with `allow: true` is an approval. All other answers, and missing ones, are refusals. */
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

/** Reads the answers of an earlier request. The paths may since have become those of other tools. */
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
