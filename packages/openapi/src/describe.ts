import { shortenText } from '@toolfold/profiles/internal';

/** Cleans at most this much of a text. */
const MAX_READ = 4_000;

/** Returns the text that a model needs: the first sentences without Markdown, HTML and links. */
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
    // Headings, rules and table rows are not sentences.
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

export type Describe = (source: unknown) => string;

/** Caches each shortened text, because the operations of a specification share most of their schemas. */
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

export function describeOperation(operation: DescribedOperation, limit: number): string {
  const { method, path, summary, description, isDeprecated } = operation;
  const head = plainText(summary, limit);
  const body = plainText(description, limit);
  const isRepeated = body.toLowerCase().startsWith(head.toLowerCase().replace(/\.$/, ''));
  const joined = isRepeated ? body : body === '' ? head : `${head.replace(/[.:]?$/, '.')} ${body}`;
  const text = shortenText(joined, limit) || `${method} ${path}`;
  return isDeprecated ? `Deprecated. ${text}` : text;
}
