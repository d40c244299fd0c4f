import { ErrProtocol, ToolfoldError } from '../../errors.js';
import type { ErrorOptions } from '../../errors.js';
import type { CallToolResult, ContentBlock } from '../../protocol/tool-result.js';
import type { Redactor } from './redactor.js';

/**
 * Removes credentials from a failed result. A result without any is returned itself, because results are compared by
 * identity.
 */
export function redactResult(result: CallToolResult, redactor: Redactor): CallToolResult {
  const { structuredContent, _meta } = result;
  const content = result.content.map((block) => redactBlock(block, redactor));
  const data = redactIfNeeded(structuredContent, redactor);
  const meta = redactIfNeeded(_meta, redactor);
  const isSame =
    content.every((block, index) => block === result.content[index]) &&
    data === structuredContent &&
    meta === _meta;
  if (isSame) return result;
  return {
    ...result,
    content,
    ...(data === undefined ? {} : { structuredContent: data }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/** The data of images, audio and blobs is not searched, but the fields beside it are. */
function redactBlock(block: ContentBlock, redactor: Redactor): ContentBlock {
  if (block.type === 'text') return redactBeside(block, 'text', redactor.text(block.text), redactor);
  if (block.type === 'image' || block.type === 'audio')
    return redactBeside(block, 'data', block.data, redactor);
  if (block.type === 'resource' && 'blob' in block.resource) {
    const resource = redactBeside(block.resource, 'blob', block.resource.blob, redactor);
    return redactBeside(block, 'resource', resource, redactor);
  }
  return redactIfNeeded(block, redactor);
}

/** Redacts all fields except one, which gets the given value. */
function redactBeside<T extends object, K extends keyof T & string>(
  object: T,
  field: K,
  value: T[K],
  redactor: Redactor,
): T {
  const { [field]: before, ...others } = object;
  const clean = redactIfNeeded(others, redactor);
  return value === before && clean === others ? object : ({ ...clean, [field]: value } as unknown as T);
}

/** Redacts a value, but returns it itself if nothing changed. */
function redactIfNeeded<T>(value: T, redactor: Redactor): T {
  if (value === undefined) return value;
  const clean = redactor.value(value) as T;
  return JSON.stringify(clean) === JSON.stringify(value) ? value : clean;
}

/** Copies an error without credentials in its message, details and cause. */
export function redactError(error: ToolfoldError, redactor: Redactor): ToolfoldError {
  const ErrorClass = error.constructor as new (message: string, options: ErrorOptions) => ToolfoldError;
  const details = redactor.value(error.details) as Record<string, unknown>;
  // ErrProtocol takes the fields of its details as options.
  const own = error instanceof ErrProtocol ? details : {};
  const cause = error.cause === undefined ? {} : { cause: redactThrown(error.cause, redactor) };
  return new ErrorClass(redactor.text(error.message), { ...own, ...cause, details });
}

/**
 * Copies a thrown value without credentials, so that it can be logged or returned. Of other errors only the name, message
 * and stack are copied, because their fields may hold whole requests.
 */
export function redactThrown(thrown: unknown, redactor: Redactor): unknown {
  if (thrown instanceof ToolfoldError) return redactError(thrown, redactor);
  if (!(thrown instanceof Error)) return redactor.value(thrown);
  const copy = new Error(redactor.text(thrown.message));
  copy.name = redactor.text(thrown.name);
  if (thrown.stack !== undefined) copy.stack = redactor.text(thrown.stack);
  return copy;
}
