import type { SearchWords } from 'toolfold';
import type { ListedTool, OpenTarget } from '@toolfold/analysis/internal';
import { distinctBy, readArguments } from '@toolfold/analysis/internal';

/** A tool that needs keywords, with the texts that a model sees. */
export interface DraftedTool {
  readonly address: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments: readonly { readonly name: string; readonly description?: string | undefined }[];
  /** Search words from the definition. */
  readonly search?: SearchWords | undefined;
}

/**
 * Lists the tools of an opened server by address. For a file, lists its actions; for a running server, its tools, because a proxy
 * indexes these.
 */
export function readDraftedTools({ kind, tools }: OpenTarget): DraftedTool[] {
  const all = tools.flatMap((listed) =>
    kind === 'module' && listed.actions.length > 0 ? actionsOf(listed) : [toolOf(listed)],
  );
  return distinctBy(all, ({ address }) => address);
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
