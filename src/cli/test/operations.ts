import type { JsonSchemaObject } from '../../index.js';
import type { ListedAction, ListedHints, ListedTool } from '../../analysis/target/opened-target.js';

/** A tool or action that can be called. */
export interface Operation {
  readonly address: string;
  readonly toolName: string;
  /** The argument that names the action, if there is one. */
  readonly fixed: Readonly<Record<string, string>>;
  readonly inputSchema: JsonSchemaObject;
  readonly outputSchema: unknown;
  readonly hints: ListedHints;
  readonly isFilled: boolean;
  /** The argument by which a repeated call is recognized. */
  readonly idempotencyField: string | undefined;
}

/** Lists every tool, and every action of grouped tools. */
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
    // A running server sends only the annotations of the whole tool.
    hints: action.hints ?? hints,
    isFilled: action.isFilled,
    idempotencyField: action.idempotencyField,
  };
}

/** Why an operation must not be called without the consent of the user; `undefined` if it changes nothing that matters. */
export function riskOf({ hints }: Operation): string | undefined {
  const { readOnly, destructive } = hints;
  if (readOnly === true || destructive === false) return undefined;
  return destructive === true ? 'destructive' : 'not marked as read-only or not destructive';
}
