import type { OutputBudget } from '../guards/budget/output-budget.js';
import type { Meta } from '../protocol/mcp-types.js';
import type { ReadSchema } from '../schema/read/read-schema.js';
import type {
  Cached,
  DefaultArgumentResolver,
  Hints,
  IdempotencyRule,
  Middleware,
  RetryRule,
  SecurityLabels,
  TaskRule,
  ToolCall,
} from './tool-definition.js';

/** Runs the handler of an action, or does not: a cached value or an earlier result may do. */
export type Around = (handler: (call: ToolCall) => unknown, call: ToolCall) => unknown;

/** A handler, or a chain that ends in one. `around` is handed on to the handler. */
export type ActionFn = (call: ToolCall, around?: Around) => unknown;

/** One action as the strategies see it: read, checked, with its place among the others. */
export interface InternalAction extends Hints {
  /** `create`, or `users.create` below a group. */
  readonly key: string;
  readonly actionName: string;
  readonly groupName?: string | undefined;
  readonly groupDescription?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The action's own input, without the common fields. */
  readonly input: ReadSchema;
  /** What clients are told of the input, where it is not what is validated. */
  readonly advertised?: Pick<ReadSchema, 'jsonSchema' | 'fields' | 'required'> | undefined;
  readonly output?: ReadSchema | undefined;
  readonly meta?: Meta | undefined;
  readonly tags: readonly string[];
  readonly scopes: readonly string[];
  readonly security?: SecurityLabels | undefined;
  readonly resolveDefaults?: DefaultArgumentResolver | undefined;
  readonly timeoutMs?: number | undefined;
  readonly task?: TaskRule | undefined;
  readonly cost?: number | undefined;
  readonly cached?: Cached | undefined;
  readonly invalidates?: readonly string[] | undefined;
  readonly idempotency?: IdempotencyRule | undefined;
  readonly retry?: RetryRule | undefined;
  readonly outputBudget?: OutputBudget | undefined;
  readonly textFormat?: 'json' | 'toon' | undefined;
  readonly unknownOutput?: 'strip' | 'refuse' | undefined;
  /** The group's, then the action's own. */
  readonly middleware: readonly Middleware[];
  readonly handler: ActionFn;
}
