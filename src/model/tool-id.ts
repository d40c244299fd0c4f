import { ErrInvalidToolID } from '../errors.js';

const SEPARATOR = ':';

/** The parts of `namespace:name`, or of a bare `name`. */
export interface ToolID {
  /** Whose tool it is. */
  readonly namespace?: string;
  /** The name of the tool within its namespace. */
  readonly name: string;
}

/** Writes the canonical ID. What it writes, `parseToolID` reads back. */
export function formatToolID({ namespace, name }: { namespace?: string | undefined; name: string }): string {
  for (const [part, text] of [
    ['namespace', namespace],
    ['name', name],
  ] as const) {
    if (text?.includes(SEPARATOR)) {
      throw new ErrInvalidToolID(`The ${part} "${text}" contains ":", which separates namespace and name.`, {
        hint: `Remove ":" from the ${part}.`,
      });
    }
  }
  if (!name) throw new ErrInvalidToolID('A tool ID needs a name.', { hint: 'Give the tool a name.' });
  if (namespace === '') {
    throw new ErrInvalidToolID(`The namespace of tool "${name}" is empty.`, {
      hint: 'Leave the namespace undefined instead.',
    });
  }
  return namespace === undefined ? name : `${namespace}${SEPARATOR}${name}`;
}

/** Reads `namespace:name` or `name`; anything else is refused. */
export function parseToolID(id: string): ToolID {
  const hint = 'Write "namespace:name" or "name".';
  if (typeof id !== 'string' || id === '') throw new ErrInvalidToolID('The tool ID is empty.', { hint });
  const parts = id.split(SEPARATOR);
  if (parts.length > 2) throw new ErrInvalidToolID(`Tool ID "${id}" has more than one ":".`, { hint });
  if (parts.includes('')) throw new ErrInvalidToolID(`Tool ID "${id}" has an empty part.`, { hint });
  const [first = '', second] = parts;
  return second === undefined ? { name: first } : { namespace: first, name: second };
}
