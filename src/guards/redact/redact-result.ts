import type { Redactor } from './redaction.js';
import type { CallToolResult, ContentBlock } from '../../protocol/tool-result.js';

/** A failed result without credentials. A result that holds none comes back itself, since results are told apart by identity. */
export function redactResult(result: CallToolResult, redactor: Redactor): CallToolResult {
  const { structuredContent, _meta } = result;
  const content = result.content.map((block) => redactBlock(block, redactor));
  const data = redactValue(structuredContent, redactor);
  const meta = redactValue(_meta, redactor);
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

/** The bytes of images, sounds and files are not text. What stands beside them is. */
function redactBlock(block: ContentBlock, redactor: Redactor): ContentBlock {
  if (block.type === 'text') return redactBeside(block, 'text', redactor.text(block.text), redactor);
  if (block.type === 'image' || block.type === 'audio')
    return redactBeside(block, 'data', block.data, redactor);
  if (block.type === 'resource' && 'blob' in block.resource) {
    const resource = redactBeside(block.resource, 'blob', block.resource.blob, redactor);
    return redactBeside(block, 'resource', resource, redactor);
  }
  return redactValue(block, redactor);
}

/** Redacts all fields but one, which gets the given value. */
function redactBeside<T extends object, K extends keyof T & string>(
  object: T,
  field: K,
  value: T[K],
  redactor: Redactor,
): T {
  const { [field]: before, ...others } = object;
  const clean = redactValue(others, redactor);
  return value === before && clean === others ? object : ({ ...clean, [field]: value } as unknown as T);
}

function redactValue<T>(value: T, redactor: Redactor): T {
  if (value === undefined) return value;
  const clean = redactor.value(value) as T;
  return JSON.stringify(clean) === JSON.stringify(value) ? value : clean;
}
