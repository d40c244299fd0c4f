import type { BodyPlan } from '../request-plan.js';

function essenceOf(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase();
}

export function isJsonType(mediaType: string): boolean {
  return (
    /^application\/(?:[\w.+-]+\+)?json$/.test(essenceOf(mediaType)) || essenceOf(mediaType) === 'text/json'
  );
}

export function kindOf(mediaType: string): BodyPlan['kind'] | undefined {
  const essence = essenceOf(mediaType);
  if (isJsonType(essence)) return 'json';
  if (essence === 'application/x-www-form-urlencoded') return 'form';
  if (essence === 'multipart/form-data') return 'multipart';
  if (essence.startsWith('multipart/')) return undefined;
  if (/^text\/|^application\/(?:[\w.+-]+\+)?(?:xml|yaml|x-yaml|graphql|x-ndjson)$/.test(essence))
    return 'text';
  return /^[\w*.+-]+\/[\w*.+-]+$/.test(essence) ? 'binary' : undefined;
}

const kinds: readonly BodyPlan['kind'][] = ['json', 'form', 'multipart', 'text', 'binary'];

/** Ranks media types; lower is better. A patch document is the last JSON type, because it describes changes and not the resource. */
function rankOf(mediaType: string): number {
  const essence = essenceOf(mediaType);
  const kind = kindOf(mediaType);
  if (kind === undefined) return Infinity;
  const wildcard = essence.includes('*') ? 5 : 0;
  if (kind !== 'json') return 10 * kinds.indexOf(kind) + wildcard;
  if (essence === 'application/json') return 0;
  if (essence === 'application/merge-patch+json') return 1;
  return essence === 'application/json-patch+json' ? 3 : 2;
}

export function chooseMediaType(mediaTypes: readonly string[]): string | undefined {
  const [best] = mediaTypes
    .filter((mediaType) => rankOf(mediaType) < Infinity)
    .toSorted((left, right) => rankOf(left) - rankOf(right));
  return best;
}

export function acceptFor(mediaTypes: readonly string[]): string {
  const json = mediaTypes.filter(isJsonType);
  const [first] = json.toSorted((left, right) => rankOf(left) - rankOf(right));
  if (first !== undefined) return essenceOf(first);
  const others = [...new Set(mediaTypes.map(essenceOf))].filter((each) =>
    /^[\w*.+-]+\/[\w*.+-]+$/.test(each),
  );
  return others.length > 0 ? others.slice(0, 5).join(', ') : 'application/json, */*;q=0.5';
}
