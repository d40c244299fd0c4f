import { shortenText } from '../profiles/shorten-text.js';

/** Longer texts are cut before they are cleaned. */
const MAX_READ = 4_000;

/** The text that a model needs: the first sentences without Markdown, HTML and links. */
export function plainText(source: unknown, limit: number): string {
  if (typeof source !== 'string' || limit === 0) return '';
  const lines = source
    .slice(0, MAX_READ)
    .replaceAll(/```[^`]*(?:```|$)/g, ' ')
    .replaceAll(/<[^<>]{0,500}>/g, ' ')
    .replaceAll(/!\[[^[\]]{0,200}\]\([^)]{0,500}\)/g, ' ')
    .replaceAll(/\[([^[\]]{0,200})\]\([^)]{0,500}\)/g, '$1')
    .replaceAll(/\[([^[\]]{1,200})\]\[[^[\]]{0,100}\]/g, '$1')
    .replaceAll(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => entities[name] ?? ' ')
    .split(/\r?\n/)
    .map((line) => line.trim())
    // Headings, rules and rows of tables are no sentences.
    .filter((line) => !/^(?:#{1,6}\s|[-=*_]{3,}$|\|)/.test(line))
    .map((line) => line.replace(/^(?:[-*+]|>|\d{1,2}\.)\s+/, ''));
  const text = lines
    .join(' ')
    .replaceAll(/\*\*|__/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,;:])(?=\s|$)/g, '$1')
    .trim();
  return shortenText(text, limit);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Shortens the description of a field. */
export type Describe = (source: unknown) => string;

/** Makes a function that shortens each text once, because the operations of a specification share most of their schemas. */
export function createDescribe(limit: number): Describe {
  const known = new Map<string, string>();
  return (source) => {
    if (typeof source !== 'string') return '';
    const found = known.get(source) ?? plainText(source, limit);
    known.set(source, found);
    return found;
  };
}

interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly isDeprecated: boolean;
}

/** Describes an operation by its summary and the first sentences of its description. */
export function describeOperation(operation: DescribedOperation, limit: number): string {
  const { method, path, summary, description, isDeprecated } = operation;
  const head = plainText(summary, limit);
  const body = plainText(description, limit);
  const isRepeated = body.toLowerCase().startsWith(head.toLowerCase().replace(/\.$/, ''));
  const joined = isRepeated ? body : body === '' ? head : `${head.replace(/[.:]?$/, '.')} ${body}`;
  const text = shortenText(joined, limit) || `${method} ${path}`;
  return isDeprecated ? `Deprecated. ${text}` : text;
}
