import type { Redactor } from '../../guards/redact/redactor.js';

/** The steps of the pipeline in their order. `error` comes last, because every step can lead to it. */
export const steps = ['find', 'admit', 'prepare', 'validate', 'run', 'shape', 'error'] as const;
export type Step = (typeof steps)[number];

/** Describes the request during which the author's code failed. */
export interface FaultContext {
  /** The address of the action, the name of the prompt or the URI of the resource. */
  readonly address: string | undefined;
  /** Removes the credentials of the request from texts. */
  readonly redactor: Redactor;
  /** Whether a logger has already received the error. */
  readonly isLogged: boolean;
}

/**
 * An event of a call. A call of a mounted registry repeats the steps there. Prompts and resources only have faults.
 *
 * - `step`: a step begins, and the one before ends. Without a step, an injected security wrapper goes on after step 6.
 * - `found`: step 1 found the action.
 * - `ended`: the call has a result, which may be an error that the handler returned.
 * - `failed`: an error or a question to the client ended the call.
 * - `fault`: the author's code failed. `isOfCode` if it was a call that code made, and not the call of `run_code`
 *   itself.
 */
export type CallEvent =
  | { readonly kind: 'step'; readonly step: Step | undefined }
  | {
      readonly kind: 'found';
      readonly tool: string;
      readonly address: string;
      readonly action: string | undefined;
    }
  | { readonly kind: 'ended'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly thrown: unknown }
  | ({ readonly kind: 'fault'; readonly error: unknown; readonly isOfCode?: boolean } & FaultContext);

/**
 * Passes an event to all subscribers of a call. It throws what a subscriber throws, because a task without room ends its call; code
 * from outside subscribes through functions that catch its errors.
 */
export type Emit = (event: CallEvent) => void;

/** The events of the steps, made once, because over HTTP the reporter of faults subscribes to every call. */
export const stepEvents = Object.fromEntries(
  steps.map((step) => [step, Object.freeze({ kind: 'step', step })]),
) as Readonly<Record<Step, CallEvent>>;

export function subscribe(emit: Emit | undefined, subscriber: Emit): Emit {
  if (!emit) return subscriber;
  return (event) => {
    emit(event);
    subscriber(event);
  };
}
