import { flatToolOf } from 'toolfold/internal';
import type { ErrUnknownTool } from 'toolfold/errors';
import type { SearchEntry, Steps } from '@toolfold/search/internal';
import type { JsonSchemaObject } from '@toolfold/schema';
import type { CodeSettings } from '../form/code-settings.js';
import type { ToolPaths } from '../form/tool-paths.js';
import { writeSignatureLine } from './signature-line.js';
import { writeDeclarations } from './write-declarations.js';
import type { DeclaredTool } from './write-declarations.js';

/** Returns the schemas that the flat form would list for the action. */
export function schemasOf({ compiled }: SearchEntry): Pick<DeclaredTool, 'inputSchema' | 'outputSchema'> {
  const { inputSchema, outputSchema } = flatToolOf(compiled).tool;
  return {
    inputSchema: inputSchema as JsonSchemaObject,
    outputSchema: outputSchema as JsonSchemaObject | undefined,
  };
}

export function signatureOf(entry: SearchEntry, path: string): string {
  const { inputSchema, outputSchema } = schemasOf(entry);
  return writeSignatureLine(path, inputSchema, outputSchema);
}

interface DeclareOptions {
  readonly paths: Pick<ToolPaths, 'pathOf'>;
  readonly settings: Pick<CodeSettings, 'allow'>;
  /** Errors for requested names that no function has. */
  readonly problems?: readonly ErrUnknownTool[];
}

/** Declares functions in steps, because converting the schemas of a tool for the first time can take long too. */
export function* declareActions(
  entries: readonly SearchEntry[],
  { paths, settings, problems = [] }: DeclareOptions,
): Steps<string> {
  const tools: DeclaredTool[] = [];
  for (const entry of entries) {
    tools.push({
      path: paths.pathOf(entry.compiled.address),
      description: flatToolOf(entry.compiled).tool.description,
      notes: notesOf(entry, settings),
      ...schemasOf(entry),
    });
    yield;
  }
  const hasUnknown = tools.some(({ outputSchema }) => outputSchema === undefined);
  return [
    ...(hasUnknown ? ['// unknown: an object or a list if the tool returns JSON, otherwise its text.'] : []),
    yield* writeDeclarations(tools),
    // Messages may contain names with line breaks, which would end the comment.
    ...problems.map(({ message }) => `// ${message.replace(/\s+/g, ' ')}`),
  ].join('\n');
}

function notesOf(
  { kind, compiled: { action } }: SearchEntry,
  { allow }: Pick<CodeSettings, 'allow'>,
): string[] {
  const scopes = action.scopes.length > 0 ? [`Scopes: ${action.scopes.join(', ')}.`] : [];
  if (kind === 'read') return ['Reads only.', ...scopes];
  if (allow !== 'write') return ['May change data: code may not call it.', ...scopes];
  const asks = action.destructive === false ? '' : ' A person confirms each call.';
  return [`May change data.${asks}`, ...scopes];
}
