import { flatToolOf } from '../../compile/tool-forms.js';
import type { ErrUnknownTool } from '../../errors.js';
import type { SearchEntry } from '../../search/form/entries.js';
import type { Steps } from '../../search/index/slices.js';
import type { JsonSchemaObject } from '../../values/json-schema.js';
import type { CodeSettings } from '../form/code-settings.js';
import type { ToolPaths } from '../form/tool-paths.js';
import { writeSignatureLine } from './signature-line.js';
import { writeDeclarations } from './write-declarations.js';
import type { DeclaredTool } from './write-declarations.js';

/** The schemas of an action, as the tool of the flat form has them. */
export function schemasOf({ compiled }: SearchEntry): Pick<DeclaredTool, 'inputSchema' | 'outputSchema'> {
  const { inputSchema, outputSchema } = flatToolOf(compiled).tool;
  return {
    inputSchema: inputSchema as JsonSchemaObject,
    outputSchema: outputSchema as JsonSchemaObject | undefined,
  };
}

/** A call of an action in one line. */
export function signatureOf(entry: SearchEntry, path: string): string {
  const { inputSchema, outputSchema } = schemasOf(entry);
  return writeSignatureLine(path, inputSchema, outputSchema);
}

interface DeclareOptions {
  readonly paths: Pick<ToolPaths, 'pathOf'>;
  readonly settings: Pick<CodeSettings, 'allow'>;
  /** Names that were asked for and do not exist. */
  readonly problems?: readonly ErrUnknownTool[];
}

/** Declares functions in steps. Reading the schemas of a tool for the first time can take long too. */
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
    // A name in the message could contain a line break.
    ...problems.map(({ message }) => `// ${message.replace(/\s+/g, ' ')}`),
  ].join('\n');
}

/** The effects of a function, and whether code may call it. */
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
