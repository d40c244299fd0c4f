import { writeArguments, writeResultType } from '@toolfold/search/internal';
import type { JsonSchemaObject } from '@toolfold/schema';

const MAX_ARGUMENTS = 200;

/**
 * Writes a call in one line, such as `tools.issues.list({ repo: string, state?: 'open'|'closed' }): {issues: {…}[]}`. The type of the
 * result is missing if the tool does not declare it. A `…` marks every part that is not shown completely.
 */
export function writeSignatureLine(
  path: string,
  inputSchema: JsonSchemaObject,
  outputSchema: JsonSchemaObject | undefined,
): string {
  const { text, isUnion } = writeArguments(inputSchema, MAX_ARGUMENTS, true);
  const input = text === '' || isUnion ? text : `{ ${text} }`;
  return `tools.${path}(${input})${outputSchema ? `: ${writeResultType(outputSchema)}` : ''}`;
}

/** Writes a call without its arguments. */
export function writeCutSignature(path: string): string {
  return `tools.${path}(…)`;
}
