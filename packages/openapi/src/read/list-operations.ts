import { ErrInvalidOptions } from 'toolfold/errors';
import { isJsonObject } from '@toolfold/schema/internal';
import type { SpecObject } from './read-document.js';
import { entriesOf, listOf, resolveObject, textOf } from './resolve.js';

export interface SpecOperation {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  readonly operationId: string | undefined;
  readonly tags: readonly string[];
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly isDeprecated: boolean;
  /** Unresolved parameters of the path, followed by those of the operation, which override them. */
  readonly parameters: readonly unknown[];
  readonly requestBody: unknown;
  readonly responses: unknown;
  readonly security: unknown;
  /** Servers of this operation alone. */
  readonly servers: unknown;
}

const methods = ['get', 'head', 'options', 'query', 'post', 'put', 'patch', 'delete'] as const;

/** Lists the operations in the order of the specification. `onBroken` receives the errors of unreadable paths. */
export function listOperations(
  document: SpecObject,
  maxOperations: number,
  onBroken: (path: string, error: unknown) => void,
): SpecOperation[] {
  const found: SpecOperation[] = [];
  for (const [path, item] of entriesOf(document['paths'])) {
    if (!path.startsWith('/')) continue;
    const shared = pathItemOf(document, item, (error) => onBroken(path, error));
    for (const method of methods) {
      const operation = shared[method];
      if (!isJsonObject(operation)) continue;
      if (found.length >= maxOperations)
        throw new ErrInvalidOptions(`The OpenAPI specification has more than ${maxOperations} operations.`, {
          hint: 'Raise maxOperations.',
        });
      found.push(toOperation(document, method.toUpperCase(), path, shared, operation));
    }
  }
  return found;
}

/** A path item may be a reference with more fields beside it. */
function pathItemOf(document: SpecObject, item: unknown, onBroken: (error: unknown) => void): SpecObject {
  if (!isJsonObject(item)) return {};
  if (item['$ref'] === undefined) return item;
  try {
    return { ...resolveObject(document, item), ...item };
  } catch (error) {
    onBroken(error);
    return {};
  }
}

function toOperation(
  document: SpecObject,
  method: string,
  path: string,
  shared: SpecObject,
  operation: SpecObject,
): SpecOperation {
  return {
    method,
    path,
    operationId: textOf(operation['operationId']),
    tags: listOf(operation['tags']).flatMap((tag) => textOf(tag) ?? []),
    summary: textOf(operation['summary']) ?? textOf(shared['summary']),
    description: textOf(operation['description']) ?? textOf(shared['description']),
    isDeprecated: operation['deprecated'] === true,
    parameters: [...listOf(shared['parameters']), ...listOf(operation['parameters'])],
    requestBody: operation['requestBody'],
    responses: operation['responses'],
    security: operation['security'] ?? document['security'],
    servers: operation['servers'] ?? shared['servers'],
  };
}
