import type { JsonSchemaObject } from 'toolfold';
import type { ListedAction, ListedHints, ListedTool } from '@toolfold/analysis/internal';

export interface Operation {
  readonly address: string;
  readonly toolName: string;
  /** The argument that selects the action, if there is one. */
  readonly fixed: Readonly<Record<string, string>>;
  readonly inputSchema: JsonSchemaObject;
  readonly outputSchema: unknown;
  readonly hints: ListedHints;
  readonly isFilled: boolean;
  /** The argument that identifies a repeated call. */
  readonly idempotencyField: string | undefined;
}

export function operationsOf(tools: readonly ListedTool[]): readonly Operation[] {
  return tools.flatMap((listed) =>
    listed.actions.length > 0
      ? listed.actions.map((action) => ofAction(listed, action))
      : [
          {
            address: listed.tool.name,
            toolName: listed.tool.name,
            fixed: {},
            inputSchema: listed.tool.inputSchema as JsonSchemaObject,
            outputSchema: listed.tool.outputSchema,
            hints: listed.hints,
            isFilled: listed.isFilled,
            idempotencyField: listed.idempotencyField,
          },
        ],
  );
}

function ofAction({ tool, discriminator = '', hints }: ListedTool, action: ListedAction): Operation {
  return {
    address: action.address,
    toolName: tool.name,
    fixed: { [discriminator]: action.key },
    inputSchema: action.inputSchema,
    outputSchema: action.outputSchema,
    // A running server sends only the annotations of the complete tool.
    hints: action.hints ?? hints,
    isFilled: action.isFilled,
    idempotencyField: action.idempotencyField,
  };
}

/** Explains why calling an operation needs the user's consent. Returns `undefined` if it has no harmful effects. */
export function riskOf({ hints }: Operation): string | undefined {
  const { readOnly, destructive } = hints;
  if (readOnly === true || destructive === false) return undefined;
  return destructive === true ? 'destructive' : 'not marked as read-only or not destructive';
}
