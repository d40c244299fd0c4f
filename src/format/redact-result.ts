import type { Redactor } from '../guard/redaction.js';
import type { CallToolResult, ContentBlock } from './tool-result.js';

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

function redactBlock(block: ContentBlock, redactor: Redactor): ContentBlock {
  if (block.type === 'text') {
    const text = redactor.text(block.text);
    return text === block.text ? block : { ...block, text };
  }
  // The bytes of images, sounds and files are not text.
  if (block.type === 'image' || block.type === 'audio') return block;
  if (block.type === 'resource' && 'blob' in block.resource) return block;
  return redactValue(block, redactor);
}

function redactValue<T>(value: T, redactor: Redactor): T {
  if (value === undefined) return value;
  const clean = redactor.value(value) as T;
  return JSON.stringify(clean) === JSON.stringify(value) ? value : clean;
}
