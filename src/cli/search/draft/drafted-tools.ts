import type { SearchWords } from '../../../index.js';
import type { ListedTool, OpenTarget } from '../../../analysis/target/opened-target.js';
import { readArguments } from '../../../analysis/search/documents.js';

/** A tool for which keywords can be drafted, with the texts that a model sees. */
export interface DraftedTool {
  readonly address: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments: readonly { readonly name: string; readonly description?: string | undefined }[];
  /** The words of its definition. */
  readonly search?: SearchWords | undefined;
}

/**
 * The tools of an opened server by address. Of a file, these are its actions; of a running server its tools, because a proxy
 * searches these.
 */
export function readDraftedTools({ kind, tools }: OpenTarget): DraftedTool[] {
  const all = tools.flatMap((listed) =>
    kind === 'module' && listed.actions.length > 0 ? actionsOf(listed) : [toolOf(listed)],
  );
  const byAddress = new Map<string, DraftedTool>();
  for (const tool of all) if (!byAddress.has(tool.address)) byAddress.set(tool.address, tool);
  return [...byAddress.values()];
}

function actionsOf({ actions }: ListedTool): DraftedTool[] {
  return actions.map(({ address, key, description, inputSchema, search }) => ({
    address,
    name: key,
    description,
    arguments: readArguments(inputSchema),
    search,
  }));
}

function toolOf({ tool, address = tool.name, search }: ListedTool): DraftedTool {
  const { name, title, description, inputSchema } = tool;
  return {
    address,
    name,
    title: textOf(title),
    description: textOf(description),
    arguments: readArguments(inputSchema),
    search,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
