import type { CallToolResult, ContentBlock } from '../../index.js';
import { print, toLine } from '../terminal/output.js';
import { saveFile } from './save-file.js';

export interface PrintOptions {
  /** What files are named after. */
  readonly name: string;
  readonly folder: string;
  readonly force: boolean;
  /** Where text goes: to standard error where it says what went wrong. */
  readonly write?: (text: string) => void;
}

/** Writes what a tool gave: text as it is, data where there is no text, and whatever is neither to files. */
export function printResult(result: CallToolResult, options: PrintOptions): void {
  const { write = print } = options;
  const { content = [], structuredContent } = result;
  const taken = new Set<string>();
  for (const block of content) write(describeBlock(block, { ...options, taken }));
  const hasText = content.some(({ type }) => type === 'text');
  if (structuredContent !== undefined && !hasText) write(JSON.stringify(structuredContent, undefined, 2));
}

/** With the files of this result, of which none takes the place of another. */
type BlockOptions = PrintOptions & { readonly taken: Set<string> };

function describeBlock(block: ContentBlock, options: BlockOptions): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return saved(block.type, block.mimeType, block.data, options.name, options);
    case 'resource_link': {
      const { uri, name, mimeType, description } = block as unknown as Readonly<Record<string, unknown>>;
      const more = description === undefined ? '' : `\n  ${toLine(description)}`;
      return `link: ${toLine(name ?? '')} ${toLine(uri)}${inBrackets(mimeType)}${more}`;
    }
    case 'resource': {
      const { uri, mimeType, text, blob } = block.resource as Readonly<Record<string, unknown>>;
      if (typeof text === 'string') return `resource: ${toLine(uri)}${inBrackets(mimeType)}\n${text}`;
      const name =
        String(uri)
          .split(/[/?#]/)
          .findLast((part) => part !== '') ?? '';
      // After the tool too: a server must not choose the whole name of a file, which may mean something where it lies.
      return saved(
        `resource ${toLine(uri)}`,
        mimeType,
        String(blob ?? ''),
        `${options.name}-${name}`,
        options,
      );
    }
    default:
      return JSON.stringify(block, undefined, 2);
  }
}

function inBrackets(mimeType: unknown): string {
  return typeof mimeType === 'string' ? ` (${toLine(mimeType)})` : '';
}

function saved(what: string, mimeType: unknown, data: string, name: string, options: BlockOptions): string {
  const bytes = Buffer.from(data, 'base64');
  const path = saveFile(bytes, {
    ...options,
    name,
    mimeType: typeof mimeType === 'string' ? mimeType : undefined,
  });
  options.taken.add(path);
  return `${what}: ${path}${inBrackets(mimeType)}, ${bytes.length} bytes`;
}
