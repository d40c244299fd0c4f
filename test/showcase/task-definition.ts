import type { Database } from '../../examples/showcase/database/database.js';
import type { Facts } from './task-facts.js';

type Json = Record<string, unknown>;

/** Calls an action, such as `reports/spending`, in one of the forms. */
export type Call = <T = Json>(address: string, args?: Json) => Promise<T>;

export interface Task {
  readonly title: string;
  /** The actions that the shortest sequence calls, in this order. */
  readonly actions: readonly string[];
  question(facts: Facts): string;
  expected(facts: Facts): Json;
  /** Performs the shortest sequence and returns the answer. */
  perform(call: Call, facts: Facts): Promise<Json>;
  /** Whether the books show that the task was done. Only for tasks that change something. */
  isDone?(db: Database, facts: Facts): Promise<boolean>;
}
