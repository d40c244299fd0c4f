import type { ReadSchema } from '../schema/read-schema.js';
import type { Hints, Middleware, ToolCall } from './tool-definition.js';

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
  readonly output?: ReadSchema | undefined;
  readonly tags: readonly string[];
  readonly scopes: readonly string[];
  readonly timeout?: number | undefined;
  /** The group's, then the action's own. */
  readonly middleware: readonly Middleware[];
  readonly handler: (call: ToolCall) => unknown;
}
