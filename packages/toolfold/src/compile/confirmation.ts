import { describeValue, isJsonObject } from '@toolfold/schema/internal';
import {
  ErrCallNotAllowed,
  ErrInputUnavailable,
  ErrInvalidResult,
  ErrInvalidTool,
} from '@toolfold/schema/errors';
import type { ActionFn, InternalAction } from '../define/read-definition.js';
import type { ToolCall } from '../define/tool-definition.js';
import { missingCapabilities } from '../protocol/input-required.js';
import { showValue } from '../values/show-value.js';
import { drainGenerators } from './middleware-compiler.js';

/** The form in which a person allows a call. */
export const ALLOW_FORM = {
  type: 'object',
  properties: {
    allow: {
      type: 'boolean',
      title: 'Allow this call',
      description: 'Allows this one call with exactly these arguments',
    },
  },
  required: ['allow'],
} as const;

const form = { allow: { method: 'elicitation/create', params: { mode: 'form' } } };

/** Whether the client can ask a person to confirm a call. */
export function canConfirm(capabilities: Readonly<Record<string, unknown>> | undefined): boolean {
  return missingCapabilities(form, capabilities) === undefined;
}

/**
 * Returns why a call does not run, or `undefined` if a person allowed it. Only an accepted form with `allow: true` is an approval. Every
 * other or missing answer is a refusal.
 */
export function refusalIn(answer: unknown, address: string): string | undefined {
  const { action, content } = isJsonObject(answer) ? answer : {};
  if (action === 'accept') {
    const isAllowed = isJsonObject(content) && Object.hasOwn(content, 'allow') && content['allow'] === true;
    return isAllowed ? undefined : `A person declined this call of "${address}".`;
  }
  if (action === 'decline') return `A person declined this call of "${address}".`;
  if (action === 'cancel') return `A person closed the question about this call of "${address}".`;
  return `Nobody answered the question about this call of "${address}".`;
}

/** Asks a person before the handler of an action with `confirm` runs. Middleware runs first, so a caller whom it rejects asks nobody. */
export function requireConfirmation(action: InternalAction): InternalAction {
  const { confirm } = action;
  if (confirm === undefined) return action;
  const run = drainGenerators(action.handler);
  const handler: ActionFn = async (call, wrap) => {
    await confirmCall(confirm, call);
    return run(call, wrap);
  };
  return { ...action, handler };
}

async function confirmCall(confirm: NonNullable<InternalAction['confirm']>, call: ToolCall): Promise<void> {
  const { operation, caller, requestInput } = call.context;
  const message = typeof confirm === 'string' ? fill(confirm, call.input) : await confirm(call);
  if (message === undefined) return;
  if (typeof message !== 'string')
    throw new ErrInvalidResult(`confirm of "${operation}" returned ${describeValue(message)}.`, {
      hint: 'Return the text of the question, or undefined if nobody need be asked.',
    });
  // A server that knows nothing of its client lets it say whether it can be asked.
  if (caller.capabilities && !canConfirm(caller.capabilities)) throw cannotAsk(operation);
  const { allow } = await requestInput({ allow: { message, schema: ALLOW_FORM } }).catch(
    (thrown: unknown) => {
      throw thrown instanceof ErrInputUnavailable ? cannotAsk(operation, thrown) : thrown;
    },
  );
  const refusal = refusalIn(allow, operation);
  if (refusal !== undefined) throw new ErrCallNotAllowed(refusal);
}

function cannotAsk(operation: string, cause?: unknown): ErrInputUnavailable {
  return new ErrInputUnavailable(
    `"${operation}" needs the confirmation of a person, and the client did not ask one.`,
    {
      hint: 'Do not look for another way. Tell the person that this call needs a client which supports elicitation forms.',
      cause,
    },
  );
}

const PLACEHOLDER = /\{([^{}]+)\}/g;
const MAX_SHOWN = 300;

function fill(text: string, input: ToolCall['input']): string {
  return text.replace(PLACEHOLDER, (_, name: string) =>
    input[name] === undefined ? 'none' : showValue(input[name], MAX_SHOWN),
  );
}

export function assertPlaceholders(
  address: string,
  { confirm }: InternalAction,
  schema: { readonly fieldNames: readonly string[] },
): void {
  if (typeof confirm !== 'string') return;
  for (const [placeholder, name = ''] of confirm.matchAll(PLACEHOLDER)) {
    if (schema.fieldNames.includes(name)) continue;
    throw new ErrInvalidTool(
      `Tool "${address}": confirm has ${placeholder}, which is not one of its arguments.`,
      {
        hint: `Arguments: ${schema.fieldNames.join(', ')}.`,
        details: { field: 'confirm' },
      },
    );
  }
}
