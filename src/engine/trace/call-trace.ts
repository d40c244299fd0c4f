import type { Redactor } from '../../guards/redact/redactor.js';

/** The steps of the pipeline in their order. `error` comes last, because every step can lead to it. */
const steps = ['find', 'admit', 'prepare', 'validate', 'run', 'shape', 'error'] as const;
export type Step = (typeof steps)[number];

export interface StepTime {
  readonly step: Step;
  readonly ms: number;
}

/** An error of the author's code, and the redactor for the credentials of its call. */
export interface CallFault {
  readonly error: unknown;
  readonly redactor: Redactor;
}

/** The steps and the fault of one observed call. The pipeline fills it in; a call that nobody observes has none. */
export class CallTrace {
  address: string | undefined;
  fault: CallFault | undefined;
  readonly steps: StepTime[] = [];
  /** The trace of the registry in which this one is mounted. */
  readonly #outer: CallTrace | undefined;
  #latest = -1;
  #start: number | undefined;

  constructor(outer: CallTrace | undefined) {
    this.#outer = outer;
  }

  /** Begins a step and ends the one before. A step that began already, or that a later step has replaced, is ignored. */
  begin(step: Step): void {
    this.#outer?.begin(step);
    const order = steps.indexOf(step);
    if (order <= this.#latest) return;
    this.pause();
    this.#latest = order;
    this.#start = performance.now();
  }

  /** Begins a step when a value is there. */
  beginAfter<T>(value: T | Promise<T>, step: Step): T | Promise<T> {
    if (value instanceof Promise) return value.then((settled) => this.beginAfter(settled as T, step));
    this.begin(step);
    return value;
  }

  /** Ends the current step. */
  pause(): void {
    const step = steps[this.#latest];
    if (step !== undefined && this.#start !== undefined)
      this.steps.push({ step, ms: performance.now() - this.#start });
    this.#start = undefined;
  }

  /** Ends the last step. A handler that outlasts its call begins no other. */
  end(): void {
    this.pause();
    this.#latest = steps.length;
  }

  fail(error: unknown, redactor: Redactor): void {
    this.#outer?.fail(error, redactor);
    this.fault ??= { error, redactor };
  }
}
