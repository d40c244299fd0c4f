import { isJsonObject } from '@toolfold/schema/internal';

/** Finds what makes a listed tool invalid, because lists of other servers can contain any JSON. */
export function findInvalidPart(
  tool: unknown,
): { readonly path: string; readonly message: string } | undefined {
  if (!isJsonObject(tool)) return { path: '', message: 'The tool is not an object.' };
  const { name, description, inputSchema } = tool;
  if (typeof name !== 'string' || name === '') return { path: '/name', message: 'The tool has no name.' };
  if (description !== undefined && typeof description !== 'string')
    return { path: '/description', message: 'The description is not a text.' };
  return isJsonObject(inputSchema)
    ? undefined
    : { path: '/inputSchema', message: 'The input schema is not an object.' };
}

export const INVALID_TOOL = 'invalid-tool';
