import type { Database } from '../../../examples/showcase/database/database.js';

export type Json = Record<string, unknown>;

/** The day of the user, and the last month that is over. */
export interface Day {
  readonly today: string;
  readonly lastMonth: string;
}

/** Calls actions by their address, one round trip at a time. */
export interface ActionCaller {
  call<T = Json>(address: string, args?: Json): Promise<T>;
  /** Calls that do not depend on each other, which a model makes in one message. */
  callAll<T = Json>(calls: readonly (readonly [address: string, args?: Json])[]): Promise<T[]>;
}

/** Runs a program and returns its value. */
export type RunCode = <T = Json>(code: string) => Promise<T>;

/** An action that a task needs, and the words with which a model that does not know it searches for it. */
export interface Step {
  readonly query: string;
  readonly address: string;
  /** The arguments that the calls use. */
  readonly args: readonly string[];
}

/** A task with one script for models that call tools, and one for models that write programs. */
export interface CodeTask {
  readonly title: string;
  readonly steps: readonly Step[];
  question(day: Day): string;
  /** The answer, computed with SQL from the books before the task. */
  expected(db: Database, day: Day): Promise<Json>;
  /** Calls the actions and reads every answer. */
  perform(caller: ActionCaller, day: Day): Promise<Json>;
  /** Writes one or two programs. The first of two shows the fields of results that no signature declares. */
  program(run: RunCode, day: Day): Promise<Json>;
  /** The part of the books that the task changes. Only for tasks that write. */
  readBooks?(db: Database, day: Day): Promise<unknown>;
  /** The expected result of `readBooks` after the task, computed with SQL before it. */
  expectedBooks?(db: Database, day: Day): Promise<unknown>;
}
