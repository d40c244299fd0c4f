import { isJsonObject } from '@toolfold/schema/internal';
import type { ParameterPlan, RequestPlan } from '../request-plan.js';
import type { ApiResponse } from './exchange.js';

type Input = Readonly<Record<string, unknown>>;

/** Arguments that differ in the call of the next page. */
type NextArguments = Readonly<Record<string, string | number>>;

/** Longer values are not offered as a cursor, because they would cost more tokens than they are worth. */
const MAX_VALUE = 2_000;

/**
 * Returns which argument leads to the next page, or `undefined` if the response has none. It names only parameters of the operation, so
 * that the model can use them.
 */
export function describeNextPage(
  plan: RequestPlan,
  input: Input,
  response: ApiResponse,
  value: unknown,
): string | undefined {
  const query = plan.parameters.filter(({ place }) => place === 'query');
  if (query.length === 0) return undefined;
  const link = nextLink(response.headers.get('link'));
  const next =
    (link === undefined ? undefined : fromUrl(link, query, response.url)) ??
    (isJsonObject(value) ? fromBody(value, query, input, response.url) : undefined);
  if (!next) return undefined;
  const names = Object.entries(next).map(([field, given]) => `${field}: ${JSON.stringify(given)}`);
  return `There are more results. For the next page, repeat the call with ${names.join(', ')}.`;
}

function nextLink(header: string | null): string | undefined {
  if (header === null || header.length > 10_000) return undefined;
  for (const [, address, parameters = ''] of header.matchAll(
    /<([^<>]*)>((?:\s*;\s*[^,;<"]+(?:"[^"]*")?)*)/g,
  )) {
    const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]+))/i.exec(parameters);
    if ((relation?.[1] ?? relation?.[2] ?? '').toLowerCase().split(/\s+/).includes('next')) return address;
  }
  return undefined;
}

/** Returns the parameters of the operation whose value in the address of the next page differs from this request. */
function fromUrl(address: string, query: readonly ParameterPlan[], current: URL): NextArguments | undefined {
  if (!URL.canParse(address, current.href)) return undefined;
  const { searchParams } = new URL(address, current);
  const changed = query.flatMap((parameter) => {
    const value = searchParams.get(parameter.name);
    // Some APIs send an empty cursor with their last page. It would lead back to the first page.
    if (!value || value === current.searchParams.get(parameter.name)) return [];
    return value.length > MAX_VALUE ? [] : [[parameter.field, typed(value, parameter)] as const];
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** Gives numbers to parameters that take numbers. */
function typed(value: string | number, { schema }: ParameterPlan): string | number {
  const types = new Set([schema['type']].flat());
  if (types.has('string')) return String(value);
  const isNumber = types.has('integer') || types.has('number');
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : value;
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** APIs put pagination data into objects with these names. */
const containers = [
  'meta',
  'metadata',
  'pagination',
  'paging',
  'page',
  'pageinfo',
  'responsemetadata',
  'resultinfo',
  'links',
  'pages',
  'cursors',
];
const urlFields = [
  'next',
  'nexturl',
  'nextlink',
  'nextpage',
  'nextpageurl',
  'nextpageuri',
  'nexthref',
  'odatanextlink',
];
const cursorFields = [
  'nextcursor',
  'nextpagetoken',
  'nexttoken',
  'nextpage',
  'nextpageid',
  'nextoffset',
  'nextmarker',
  'nextcontinuationtoken',
  'continuationtoken',
  'continue',
  'endcursor',
  'after',
  'next',
  'cursor',
];
/** Parameters that take a cursor whose field has another name. */
const cursorParameters = [
  'cursor',
  'pagetoken',
  'nexttoken',
  'after',
  'startingafter',
  'continuationtoken',
  'marker',
  'bookmark',
];
const lastIdParameters = ['startingafter', 'afterid', 'after', 'sinceid', 'cursor'];

function fromBody(
  body: Input,
  query: readonly ParameterPlan[],
  input: Input,
  url: URL,
): NextArguments | undefined {
  const places = placesIn(body);
  for (const place of places) {
    if (saysNoMore(place)) return undefined;
    const found = fromAddresses(place, query, url) ?? fromCursors(place, query, input);
    if (found) return found;
  }
  return fromLastId(body, query) ?? fromPageNumber(places, query) ?? fromOffset(body, places, query, input);
}

type Fields = ReadonlyMap<string, unknown>;

/** Returns the body and the objects in it that may describe pages. The names of their fields are reduced to plain letters. */
function placesIn(body: Input): Fields[] {
  const fields = (object: Input): Fields =>
    new Map(Object.entries(object).map(([name, value]) => [plain(name), value]));
  const places = [fields(body)];
  for (let at = 0; at < places.length && places.length < 10; at++) {
    for (const name of containers) {
      const inner = places[at]?.get(name);
      if (isJsonObject(inner)) places.push(fields(inner));
    }
  }
  return places;
}

function saysNoMore(place: Fields): boolean {
  const isLast = ['islast', 'islastpage'].some((name) => place.get(name) === true);
  return isLast || ['hasmore', 'hasnextpage', 'hasnext'].some((name) => place.get(name) === false);
}

function fromAddresses(place: Fields, query: readonly ParameterPlan[], url: URL): NextArguments | undefined {
  for (const name of urlFields) {
    const given = place.get(name);
    const address = isJsonObject(given) ? (given['href'] ?? given['url']) : given;
    if (typeof address !== 'string' || !/^(?:https?:\/\/|\/|\?)/.test(address)) continue;
    const found = fromUrl(address, query, url);
    if (found) return found;
  }
  return undefined;
}

function fromCursors(
  place: Fields,
  query: readonly ParameterPlan[],
  input: Input,
): NextArguments | undefined {
  for (const name of cursorFields) {
    const cursor = place.get(name);
    if (typeof cursor !== 'string' && typeof cursor !== 'number') continue;
    const isAddress = /^https?:\/\/|\?/.test(String(cursor));
    if (cursor === '' || String(cursor).length > MAX_VALUE || isAddress) continue;
    const names = [name.replace(/^(?:next|end)/, ''), name, ...cursorParameters];
    const parameter = findParameter(query, names);
    // A response that repeats the cursor of its request has no next page.
    if (!parameter || String(input[parameter.field]) === String(cursor)) continue;
    return { [parameter.field]: typed(cursor, parameter) };
  }
  return undefined;
}

function findParameter(query: readonly ParameterPlan[], names: readonly string[]): ParameterPlan | undefined {
  return names
    .map((name) => query.find((parameter) => plain(parameter.name) === name))
    .find((parameter) => parameter !== undefined);
}

/** Reads `has_more` with the id of the last entry. */
function fromLastId(body: Input, query: readonly ParameterPlan[]): NextArguments | undefined {
  if (body['has_more'] !== true && body['hasMore'] !== true) return undefined;
  const list = ['data', 'items', 'results'].map((name) => body[name]).find(Array.isArray) as
    | unknown[]
    | undefined;
  const last = list?.at(-1);
  const id = body['last_id'] ?? body['lastId'] ?? (isJsonObject(last) ? last['id'] : undefined);
  const parameter = findParameter(query, lastIdParameters);
  if (!parameter || id === '' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  return { [parameter.field]: typed(id, parameter) };
}

/** Reads the number of this page and of all pages. */
function fromPageNumber(
  places: readonly Fields[],
  query: readonly ParameterPlan[],
): NextArguments | undefined {
  for (const place of places) {
    const page = ['page', 'currentpage', 'pagenumber']
      .map((name) => place.get(name))
      .find(Number.isSafeInteger);
    const total = ['totalpages', 'pagecount', 'lastpage', 'pages']
      .map((name) => place.get(name))
      .find(Number.isSafeInteger);
    const parameter = findParameter(query, ['page', 'pagenumber', 'pagenum']);
    if (parameter && page !== undefined && total !== undefined && (page as number) < (total as number))
      return { [parameter.field]: typed((page as number) + 1, parameter) };
  }
  return undefined;
}

const offsetNames = ['offset', 'startat', 'startindex', 'start', 'skip'];
const sizeNames = ['limit', 'maxresults', 'pagesize', 'perpage', 'count'];
const totalNames = ['total', 'totalcount', 'totalresults', 'totalitems'];

/** Reads the position of this page among all entries. If the response does not repeat it, the argument of the call has it. */
function fromOffset(
  body: Input,
  places: readonly Fields[],
  query: readonly ParameterPlan[],
  input: Input,
): NextArguments | undefined {
  const parameter = findParameter(query, offsetNames);
  if (!parameter || typeof typed('0', parameter) !== 'number') return undefined;
  const lists = Object.values(body).filter(Array.isArray);
  const entries = lists.length === 1 ? lists[0]?.length : undefined;
  for (const place of places) {
    const numberAt = (names: readonly string[]): number | undefined =>
      names.map((name) => place.get(name)).find(Number.isSafeInteger) as number | undefined;
    const total = numberAt(totalNames);
    const offset = numberAt(offsetNames) ?? Number(input[parameter.field] ?? 0);
    const size = entries ?? numberAt(sizeNames) ?? 0;
    if (total === undefined || size <= 0 || !(offset >= 0 && offset + size < total)) continue;
    return { [parameter.field]: offset + size };
  }
  return undefined;
}
