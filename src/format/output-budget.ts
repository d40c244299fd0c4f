import { ErrInvalidModel, ErrOutputTooLarge } from '../errors.js';
import { isJsonObject } from '../schema/json-schema.js';
import { typeName } from '../schema/json-value.js';
import type { CallToolResult, ContentBlock, TextContent } from './tool-result.js';

/** How much a result may take; where both are given, both hold. */
export interface OutputBudget {
  /** Bytes of UTF-8. */
  readonly bytes?: number;
  readonly tokens?: number;
  /**
   * How many tokens a text takes. By default estimated: 4 letters or 3 digits are one, other signs half of
   * one, and what UTF-8 writes in two bytes half of one, in three one, in four two.
   */
  readonly countTokens?: (text: string) => number;
}

/** One place where something is missing, and how much. What is kept is the beginning. */
export interface Cut {
  readonly path: readonly (string | number)[];
  readonly kept: number;
  readonly of: number;
  /** Items of a list or entries of a map, or code points of a text. */
  readonly unit: 'items' | 'characters';
}

export interface FitValueOptions {
  /** How the value will be written, so that what is counted is what is sent. */
  readonly write: (value: unknown) => string;
  /** Whether the output schema takes a value; by default it takes any. */
  readonly accepts?: (value: unknown) => boolean;
  /** A text that goes out with a cut value and counts as well, such as `describeCuts`. */
  readonly note?: (cuts: readonly Cut[]) => string;
}

export interface FitResultOptions {
  /** Whether the output schema takes a structured content; by default it takes any. */
  readonly accepts?: (value: unknown) => boolean;
  /** How data was written as text where that is not JSON. */
  readonly write?: (value: unknown) => string;
  /** What a text was written from, where there is no structured content: then the text is cut as data. */
  readonly data?: unknown;
  /** The fields of the action; those that narrow a call are named to the model. */
  readonly fieldNames?: readonly string[];
}

/** Refuses a budget that is no budget. */
export function assertBudget(budget: OutputBudget, where: string): void {
  for (const field of ['bytes', 'tokens'] as const) {
    const limit = budget[field];
    if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 1)) continue;
    throw new ErrInvalidModel(`${where}.${field} must be a whole number of at least 1.`, {
      details: { field: `${where}.${field}` },
    });
  }
  if (budget.countTokens !== undefined && typeof budget.countTokens !== 'function') {
    throw new ErrInvalidModel(`${where}.countTokens must be a function.`, {
      details: { field: `${where}.countTokens` },
    });
  }
  if (budget.bytes === undefined && budget.tokens === undefined) {
    throw new ErrInvalidModel(`${where} must have bytes or tokens.`, { details: { field: where } });
  }
}

/** The value itself where it fits, otherwise a shortened copy as plain JSON that `accepts` still takes. */
export function fitValue(
  value: unknown,
  budget: OutputBudget,
  { write, accepts, note }: FitValueOptions,
): { value: unknown; cuts: readonly Cut[] } {
  return boundDepth(() => {
    if (value === undefined) return { value, cuts: [] };
    const load = loadOf(budget, [write(value)]);
    if (load <= 1) return { value, cuts: [] };
    const whole = toPlainJson(value);
    const kept = fit(
      whole,
      (part) => loadOf(budget, [write(part), note?.(compare(whole, part).map(toCut)) ?? '']),
      accepts,
    );
    if (!kept) throw tooLarge(budget, load);
    return { value: kept.value, cuts: compare(whole, kept.value).map(toCut) };
  });
}

/** The text itself where it fits, otherwise its beginning: up to a line end, or else to a whole character. */
export function fitText(text: string, budget: OutputBudget): { text: string; cuts: readonly Cut[] } {
  const load = loadOf(budget, [text]);
  if (load <= 1) return { text, cuts: [] };
  const whole = new PlainText(text);
  const kept = fit(whole, (part) => loadOf(budget, [(part as PlainText).text]));
  if (!kept) throw tooLarge(budget, load);
  return { text: (kept.value as PlainText).text, cuts: compare(whole, kept.value).map(toCut) };
}

/** One line for the model: what was cut, how much there was, and which fields of the action narrow a call. */
export function describeCuts(cuts: readonly Cut[], fieldNames: readonly string[]): string {
  if (cuts.length === 0) return '';
  const named = cuts
    .slice(0, MAX_NAMED)
    .map(
      ({ path, kept, of, unit }) =>
        `${describePath(path)} (${kept === 0 ? 'none' : `first ${kept}`} of ${of} ${unit})`,
    );
  const more = cuts.length > MAX_NAMED ? ` and ${cuts.length - MAX_NAMED} more` : '';
  return `Cut to fit the output limit: ${named.join(', ')}${more}. To see the rest, ${adviseNarrowing(fieldNames)}.`;
}

/**
 * A result within its budget: itself, the same object, or a copy that is cut, says so in a last text block
 * and lists its cuts in `_meta['toolfold/cut']`.
 *
 * Clients show the model the content, the structured content or both, so each must fit on its own: the larger
 * of the two counts. Of the content, texts count as they are. Images, audio and blobs count as the bytes of
 * their base64 and as a flat number of tokens. The paths of cuts lead into the structured content or the only
 * block; otherwise they begin with `content` and the place of the block.
 */
export function fitResult(
  result: CallToolResult,
  budget: OutputBudget,
  options: FitResultOptions = {},
): CallToolResult {
  return boundDepth(() => {
    const data = result.structuredContent === undefined ? '' : JSON.stringify(result.structuredContent);
    const load = Math.max(loadOfContent(budget, result.content), loadOf(budget, [data]));
    if (load <= 1) return result;
    const fitted =
      cutResult(result, budget, options, leaveOut(result.content, budget)) ??
      cutResult(result, budget, options, new Set(result.content.filter(isBinary)));
    if (!fitted) throw tooLarge(budget, load, options.fieldNames);
    return fitted;
  });
}

const MAX_NAMED = 3;
/** A program reads at most so many cuts. */
const MAX_LISTED = 50;
/** Deeper values are kept or dropped, but not cut inside. */
const MAX_DEPTH = 100;
/** Shorter strings are names, dates, hashes: worth nothing in part. */
const SHORT_TEXT = 64;
/** An object of fewer entries is taken for a record, whose keys all mean something. */
const MAP_ENTRIES = 20;
/** So many blocks are all kept, if only in part; longer lists of blocks are lists like any other. */
const FEW_BLOCKS = 10;
/** What models take for an image of usual size. */
const BINARY_TOKENS = 1600;
const GOOD_LOAD = 0.98;
const MAX_TRIES = 24;
const MAX_ROUNDS = 16;

// ---- measuring

/** What part of the budget is used; up to 1 is within. */
function loadOf(budget: OutputBudget, texts: readonly string[], binaries: readonly string[] = []): number {
  const { bytes, tokens, countTokens = estimateTokens } = budget;
  let load = 0;
  if (bytes !== undefined) {
    let used = 0;
    for (const text of texts) used += countBytes(text);
    for (const data of binaries) used += data.length;
    load = used / bytes;
  }
  // Counting tokens may be slow, so it is left out where the answer is known.
  if (tokens === undefined || load > 1) return load;
  let used = binaries.length * BINARY_TOKENS;
  for (const text of texts) if (text !== '') used += countTokens(text);
  return Math.max(load, used / tokens);
}

function countBytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    // Each half of a surrogate pair makes two of its four bytes; a lone half is sent as U+FFFD, three.
    if (code < 0x800) bytes++;
    else if (isHigh(code) && isLow(text.charCodeAt(index + 1))) {
      bytes += 2;
      index++;
    } else bytes += 2;
  }
  return bytes;
}

function estimateTokens(text: string): number {
  let twelfths = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x800) twelfths += 12;
    else if (code >= 0x80) twelfths += 6;
    else if ((code | 32) >= 97 && (code | 32) <= 122) twelfths += 3;
    else if (code === 32) twelfths += 3;
    else twelfths += code >= 48 && code <= 57 ? 4 : 6;
  }
  return Math.ceil(twelfths / 12);
}

function countCharacters(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index++) {
    if (isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1))) count--;
  }
  return count;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** About what a character takes in JSON. It steers the cutting; what counts is the text as written. */
function sizeOfCode(code: number): number {
  if (code >= 0x80) return code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
  return code < 0x20 || code === 0x22 || code === 0x5c ? 2 : 1;
}

function sizeOfText(text: string): number {
  let size = 2;
  for (let index = 0; index < text.length; index++) size += sizeOfCode(text.charCodeAt(index));
  return size;
}

// ---- cutting

/** Text that is not data: it may be cut anywhere, and is before data is. */
class PlainText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What is kept or dropped, but not cut inside. */
class Whole {
  readonly size: number;
  constructor(size: number) {
    this.size = size;
  }
}

/** What may be cut, the gentlest first. `keep` is how many items every list keeps. */
const levels = [
  { strings: false, keep: 1, maps: false },
  { strings: true, keep: 1, maps: false },
  { strings: true, keep: 0, maps: false },
  { strings: true, keep: 0, maps: true },
] as const;

type Level = (typeof levels)[number];

interface Sized<T = unknown> {
  readonly value: T;
  readonly size: number;
}

/**
 * Finds a large cut of a value whose load is at most 1 and that is accepted; nothing where there is none.
 * A cut that is not accepted teaches how much of a place must stay, and the search begins again.
 */
function fit(
  whole: unknown,
  load: (part: unknown) => number,
  accepts: (part: unknown) => boolean = () => true,
): { value: unknown } | undefined {
  const wholeLoad = load(whole);
  if (wholeLoad <= 1) return { value: whole };
  const measures: Measures = { sizes: new Map(), soft: new Set() };
  const floors = new Map<string, number>();
  const size = measure(whole, measures);
  for (const level of levels) {
    const shrink = createShrinker(measures, floors, level);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const found = findLargest(size, wholeLoad, (room) => {
        const { value } = shrink(whole, room, '', 0);
        return { value, load: value === whole ? wholeLoad : load(value) };
      });
      if (!found) break;
      if (accepts(found.value)) return found;
      learnFloors(whole, found.value, accepts, floors);
    }
  }
  return undefined;
}

/** Looks for the most room whose cut is within the budget, guessing from the loads of those tried before. */
function findLargest(
  size: number,
  load: number,
  attempt: (room: number) => { value: unknown; load: number },
): { value: unknown } | undefined {
  let best = { ...attempt(0), room: 0 };
  if (!(best.load <= 1)) return undefined;
  let above = { load, room: size };
  for (let tries = 1; tries <= MAX_TRIES && best.load < GOOD_LOAD && above.room - best.room > 1; tries++) {
    const guess =
      tries % 3 === 0
        ? Math.sqrt((best.room + 1) * above.room)
        : best.room + ((above.room - best.room) * (1 - best.load)) / (above.load - best.load);
    const room = Math.max(best.room + 1, Math.min(above.room - 1, Math.floor(guess) || 0));
    const tried = { ...attempt(room), room };
    if (tried.load <= 1) best = tried;
    else above = tried;
  }
  return best;
}

/** What is known of every list and object, so that asking again costs nothing. */
interface Measures {
  readonly sizes: Map<object, number>;
  /** Those that are or hold something that can be cut. */
  readonly soft: Set<object>;
}

function measure(value: unknown, measures: Measures, depth = 0): number {
  if (typeof value === 'string') return sizeOfText(value);
  if (typeof value !== 'object' || value === null) return String(value).length;
  const { sizes, soft } = measures;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 2;
  let canCut = false;
  const add = (part: unknown): void => {
    size += measure(part, measures, depth + 1);
    canCut ||= isSoft(part, measures);
  };
  if (value instanceof Whole) size = value.size;
  else if (value instanceof PlainText) {
    size = sizeOfText(value.text);
    canCut = true;
  } else if (depth > MAX_DEPTH) size = sizeOfText(JSON.stringify(value));
  else if (Array.isArray(value)) {
    canCut = value.length > 0;
    for (const item of value) add(item);
    size += value.length;
  } else {
    const { keys, values, isMap } = tableOf(value);
    canCut = isMap;
    for (const entry of values) add(entry);
    for (const key of keys) size += sizeOfText(key) + 2;
  }
  sizes.set(value, size);
  if (canCut) soft.add(value);
  return size;
}

/** Whether something is or holds what can be cut, by some level; it must have been measured. */
function isSoft(value: unknown, { soft }: Measures): boolean {
  return typeof value === 'string' ? value.length > SHORT_TEXT : soft.has(value as object);
}

/**
 * Makes a function that cuts a value to about so much room: lists to their first items, everything inside an
 * object so that the largest parts give way first. Whatever fits is shared with the original, not copied.
 */
function createShrinker(
  measures: Measures,
  floors: ReadonlyMap<string, number>,
  level: Level,
): (value: unknown, room: number, place: string, depth: number) => Sized {
  function shrink(value: unknown, room: number, place: string, depth: number): Sized {
    const size = measure(value, measures, depth);
    if (size <= room || depth > MAX_DEPTH || !isSoft(value, measures)) return { value, size };
    const floor = floors.get(place) ?? 0;
    if (value instanceof PlainText) {
      const text = cutText(value.text, room, Math.max(1, floor));
      return { value: new PlainText(text), size: sizeOfText(text) };
    }
    if (typeof value === 'string') {
      if (!level.strings) return { value, size };
      const text = cutText(value, room, Math.max(SHORT_TEXT, floor));
      return { value: text, size: sizeOfText(text) };
    }
    if (Array.isArray(value)) {
      const least = Math.max(level.keep, floor);
      return shorten(
        value,
        () => 1,
        () => below(place),
        { room, least, depth },
      );
    }
    if (!isJsonObject(value)) return { value, size };
    const { keys, values, isMap } = tableOf(value);
    const cost = (index: number): number => sizeOfText(keys[index] as string) + 2;
    const step = (index: number): string => below(place, isMap ? undefined : keys[index]);
    const least = isMap && level.maps ? Math.max(1, floor) : keys.length;
    const kept = shorten(values, cost, step, { room, least, depth });
    if (kept.value.length === keys.length && kept.value.every((part, index) => part === values[index])) {
      return { value, size };
    }
    // Unlike assignment, this makes "__proto__" a key like any other.
    return {
      value: Object.fromEntries(kept.value.map((part, index) => [keys[index] as string, part])),
      size: kept.size,
    };
  }

  /** The first items that fit, and at least so many, which then share the room. */
  function shorten(
    items: readonly unknown[],
    cost: (index: number) => number,
    step: (index: number) => string,
    { room, least, depth }: { room: number; least: number; depth: number },
  ): Sized<unknown[]> {
    let count = 0;
    let size = 2;
    for (; count < items.length; count++) {
      const next = measure(items[count], measures, depth + 1) + cost(count);
      if (size + next > room) break;
      size += next;
    }
    if (count < Math.min(least, items.length)) {
      return share(items.slice(0, least), cost, step, { room, depth });
    }
    const value = items.slice(0, count);
    // One large item must not leave the room empty that a part of it would fill.
    if (count < items.length && size < room / 2) {
      const left = room - size - cost(count);
      const part = shrink(items[count], left, step(count), depth + 1);
      if (part.size <= left) return { value: [...value, part.value], size: room - left + part.size };
    }
    return { value, size };
  }

  /** Hands out the room from the smallest to the largest, so that what the small ones leave goes to the large ones. */
  function share(
    items: readonly unknown[],
    cost: (index: number) => number,
    step: (index: number) => string,
    { room, depth }: { room: number; depth: number },
  ): Sized<unknown[]> {
    const value = [...items];
    const soft: { index: number; wanted: number }[] = [];
    let size = 2;
    for (const [index, item] of items.entries()) {
      const wanted = measure(item, measures, depth + 1);
      size += cost(index);
      if (isSoft(item, measures)) soft.push({ index, wanted });
      else size += wanted;
    }
    soft.sort((a, b) => a.wanted - b.wanted);
    for (const [done, { index }] of soft.entries()) {
      const part = shrink(items[index], (room - size) / (soft.length - done), step(index), depth + 1);
      value[index] = part.value;
      size += part.size;
    }
    return { value, size };
  }

  return shrink;
}

/** The place below another; all items of a list and all entries of a map are one place, as in a schema. */
function below(place: string, key = '*'): string {
  return `${place}\0${key}`;
}

/** The entries of an object, and whether it is a collection rather than a record: many of one type. */
interface Table {
  readonly keys: readonly string[];
  readonly values: readonly unknown[];
  readonly isMap: boolean;
}

/** Listing the keys of a large object is slow. What is cut is a copy that nobody changes, so once is enough. */
const tables = new WeakMap<object, Table>();

function tableOf(value: object): Table {
  const known = tables.get(value);
  if (known) return known;
  const keys = Object.keys(value);
  const values: unknown[] = Object.values(value);
  if (keys.length < MAP_ENTRIES) return { keys, values, isMap: false };
  const isMap = values.every((entry) => typeName(entry) === typeName(values[0]));
  const table = { keys, values, isMap };
  tables.set(value, table);
  return table;
}

/** The beginning of a text within a size, but at least so long. */
function cutText(text: string, room: number, least: number): string {
  let end = 0;
  for (let size = 2; end < text.length; end++) {
    size += sizeOfCode(text.charCodeAt(end));
    if (size > room) break;
  }
  if (end <= least) return text.slice(0, endOfCharacter(text, least));
  const line = text.lastIndexOf('\n', end);
  if (line >= least && line > end * 0.8) return text.slice(0, line);
  const edge = startOfCharacter(text, end);
  return edge >= least ? text.slice(0, edge) : text.slice(0, endOfCharacter(text, least));
}

let segmenter: Intl.Segmenter | undefined;

/** The nearest place at or before another that is inside no character as people see them. */
function startOfCharacter(text: string, end: number): number {
  // Asking is slow, and nothing below U+0300 joins what stands before it.
  if (end >= text.length || (text.charCodeAt(end) < 0x300 && text.charCodeAt(end - 1) < 0x300)) return end;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const start = Math.max(0, end - SHORT_TEXT);
  const around = segmenter.segment(text.slice(start, end + SHORT_TEXT)).containing(end - start);
  if (around && around.index > 0) return start + around.index;
  return endOfCharacter(text, end - 1);
}

/** The nearest place at or after another that is inside no code point. */
function endOfCharacter(text: string, end: number): number {
  return isLow(text.charCodeAt(end)) && isHigh(text.charCodeAt(end - 1)) ? end + 1 : end;
}

// ---- what was cut, and what must not be

interface PlacedCut extends Cut {
  readonly place: string;
}

/** Where a cut value lacks something. What is shared with the original is not looked into. */
function compare(before: unknown, after: unknown): PlacedCut[] {
  const cuts: PlacedCut[] = [];
  function walk(whole: unknown, part: unknown, path: readonly (string | number)[], place: string): void {
    if (whole === part) return;
    if (typeof whole === 'string' || whole instanceof PlainText) {
      const of = countCharacters(toText(whole));
      const kept = countCharacters(toText(part as string | PlainText));
      if (kept < of) cuts.push({ path, place, kept, of, unit: 'characters' });
    } else if (Array.isArray(whole)) {
      const items = part as unknown[];
      const [kept, of] = [items.length, whole.length];
      if (kept < of) cuts.push({ path, place, kept, of, unit: 'items' });
      for (const [index, item] of items.entries()) walk(whole[index], item, [...path, index], below(place));
    } else if (isJsonObject(whole)) {
      const { keys, values, isMap } = tableOf(whole);
      const parts = Object.values(part as object);
      const [kept, of] = [parts.length, keys.length];
      if (kept < of) cuts.push({ path, place, kept, of, unit: 'items' });
      for (const [index, entry] of parts.entries()) {
        const key = keys[index] as string;
        walk(values[index], entry, [...path, key], below(place, isMap ? undefined : key));
      }
    }
  }
  walk(before, after, [], '');
  return cuts;
}

function toText(value: string | PlainText): string {
  return typeof value === 'string' ? value : value.text;
}

function toCut({ path, kept, of, unit }: Cut): Cut {
  return { path, kept, of, unit };
}

/** Finds the places of a refused cut that are too short on their own, and the least that is taken there. */
function learnFloors(
  whole: unknown,
  refused: unknown,
  accepts: (part: unknown) => boolean,
  floors: Map<string, number>,
): void {
  const shortest = new Map<string, number>();
  for (const { place, kept } of compare(whole, refused)) {
    shortest.set(place, Math.min(kept, shortest.get(place) ?? kept));
  }
  let learned = false;
  for (const [place, kept] of shortest) {
    const steps = place.split('\0').slice(1);
    const takes = (length: number): boolean => accepts(capAt(whole, steps, length));
    if (takes(kept)) continue;
    learned = true;
    let [low, high] = [kept, kept + 1];
    for (let step = 2; !takes(high); step *= 2) {
      // Nothing is cut any more.
      if (capAt(whole, steps, high) === whole) {
        high = Infinity;
        break;
      }
      [low, high] = [high, high + step];
    }
    while (high !== Infinity && high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (takes(middle)) high = middle;
      else low = middle;
    }
    floors.set(place, high);
  }
  // Refused only together: whatever was cut last stays.
  const last = [...shortest.keys()].at(-1);
  if (!learned && last !== undefined) floors.set(last, Infinity);
}

/** A copy in which everything at a place has at most so many items or characters; itself where that is so. */
function capAt(value: unknown, steps: readonly string[], length: number): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) {
    if (typeof value === 'string') {
      return value.length <= length ? value : value.slice(0, endOfCharacter(value, length));
    }
    if (Array.isArray(value)) return value.length <= length ? value : value.slice(0, length);
    if (!isJsonObject(value) || value instanceof PlainText || value instanceof Whole) return value;
    const entries = Object.entries(value);
    return entries.length <= length ? value : Object.fromEntries(entries.slice(0, length));
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => capAt(item, rest, length));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const { keys, values, isMap } = tableOf(value);
  const capped = values.map((entry, index) =>
    isMap || keys[index] === step ? capAt(entry, rest, length) : entry,
  );
  if (capped.every((entry, index) => entry === values[index])) return value;
  return Object.fromEntries(capped.map((entry, index) => [keys[index] as string, entry]));
}

// ---- results

/** A block, as something to cut and the way back. */
interface Slot {
  readonly block: ContentBlock;
  readonly part: unknown;
  readonly withPart: (part: unknown) => ContentBlock;
}

/** Cuts a result without the blocks that are left out; nothing where that does not make it fit. */
function cutResult(
  result: CallToolResult,
  budget: OutputBudget,
  { accepts = () => true, write, fieldNames = [], data: source }: FitResultOptions,
  leftOut: ReadonlySet<ContentBlock>,
): CallToolResult | undefined {
  const { structuredContent, ...rest } = result;
  const isError = result.isError === true;
  const isStructured = structuredContent !== undefined;
  const given = isStructured ? structuredContent : source;
  const data = given === undefined ? undefined : toPlainJson(given);
  const slots = result.content.map((block) =>
    leftOut.has(block) ? keepWhole(describeLeftOut(block)) : toSlot(block, isError),
  );
  const mirror = isError ? -1 : linkMirror(slots, data, write);
  const own = mirror < 0 && isStructured ? data : undefined;
  const fitted = fitData(own, budget, isError, accepts);
  if (!fitted) return undefined;

  const cutsBefore = [...fitted.cuts];
  for (const [index, block] of result.content.entries()) {
    if (leftOut.has(block)) cutsBefore.push({ path: ['content', index], kept: 0, of: 1, unit: 'items' });
  }
  // The entries of an object all stay, a list may be shortened.
  const parts = slots.map(({ part }) => part);
  const whole: object = mirror >= 0 || parts.length <= FEW_BLOCKS ? { ...parts } : parts;
  const listCuts = (root: object): Cut[] => [
    ...cutsBefore,
    ...compare(whole, root).map(({ path: [index, ...inner], kept, of, unit }): Cut => {
      const isOnly = (slots.length === 1 && !isStructured) || Number(index) === mirror;
      const path = index === undefined ? ['content'] : isOnly ? inner : ['content', Number(index), ...inner];
      return { path, kept, of, unit };
    }),
  ];
  const render = (root: object): ContentBlock[] => {
    const blocks = Object.entries(root).map(([index, part]): ContentBlock => {
      const slot = slots[Number(index)] as Slot;
      return part === slot.part ? slot.block : slot.withPart(part);
    });
    const note = describeCuts(listCuts(root), fieldNames);
    return note === '' ? blocks : [...blocks, { type: 'text', text: note }];
  };
  const shownIn = (root: object): unknown => (mirror < 0 ? fitted.value : partAt(root, mirror));
  const kept = fit(
    whole,
    (root) =>
      Math.max(
        loadOfContent(budget, render(root as object)),
        mirror >= 0 && isStructured ? loadOf(budget, [toJson(shownIn(root as object))]) : 0,
      ),
    (root) => mirror < 0 || accepts(shownIn(root as object)),
  )?.value as object | undefined;
  if (!kept) return undefined;

  const shown = shownIn(kept);
  return {
    ...rest,
    content: render(kept),
    ...(isStructured && shown !== undefined ? { structuredContent: shown } : {}),
    _meta: { ...result._meta, 'toolfold/cut': listCuts(kept).slice(0, MAX_LISTED) },
  };
}

/** Structured content that no block repeats. That of an error follows no schema and is kept or dropped. */
function fitData(
  data: unknown,
  budget: OutputBudget,
  isError: boolean,
  accepts: (value: unknown) => boolean,
): { value?: unknown; cuts: readonly Cut[] } | undefined {
  const load = (part: unknown): number => loadOf(budget, [toJson(part)]);
  if (data === undefined || load(data) <= 1) return { value: data, cuts: [] };
  if (isError) return { cuts: [{ path: ['structuredContent'], kept: 0, of: 1, unit: 'items' }] };
  const kept = fit(data, load, accepts);
  return kept && { value: kept.value, cuts: compare(data, kept.value).map(toCut) };
}

/** Finds the text block that repeats the structured content, so that one cut serves both, and tells which it is. */
function linkMirror(slots: Slot[], data: unknown, write: FitResultOptions['write']): number {
  // A text is its own writing, and best cut as text.
  if (typeof data !== 'object' || data === null) return -1;
  for (const writer of [toJson, toPrettyJson, ...(write ? [write] : [])]) {
    const text = writer(data);
    const index = slots.findIndex(({ block }) => block.type === 'text' && block.text === text);
    const block = slots[index]?.block;
    if (block?.type !== 'text') continue;
    slots[index] = { block, part: data, withPart: (part) => ({ ...block, text: writer(part) }) };
    return index;
  }
  return -1;
}

function partAt(root: object, index: number): unknown {
  return (root as Record<number, unknown>)[index];
}

function toSlot(block: ContentBlock, isError: boolean): Slot {
  if (block.type === 'text') {
    const data = isError ? undefined : readJsonText(block.text);
    if (data) return { block, part: data.value, withPart: (part) => ({ ...block, text: data.write(part) }) };
    const part = new PlainText(block.text);
    return { block, part, withPart: (cut) => ({ ...block, text: (cut as PlainText).text }) };
  }
  if (block.type === 'resource' && 'text' in block.resource) {
    const { resource } = block;
    const withPart = (part: unknown): ContentBlock => ({
      ...block,
      resource: { ...resource, text: (part as PlainText).text },
    });
    return { block, part: new PlainText(block.resource.text), withPart };
  }
  return keepWhole(block);
}

function keepWhole(block: ContentBlock): Slot {
  const { texts, binaries } = weigh(block);
  const size = [...texts, ...binaries].reduce((sum, text) => sum + sizeOfText(text), 0);
  return { block, part: new Whole(size), withPart: () => block };
}

/** What of a block counts. */
function weigh(block: ContentBlock): { texts: string[]; binaries: string[] } {
  switch (block.type) {
    case 'text':
      return { texts: [block.text], binaries: [] };
    case 'image':
    case 'audio':
      return { texts: [], binaries: [block.data] };
    case 'resource':
      return 'text' in block.resource
        ? { texts: [block.resource.uri, block.resource.text], binaries: [] }
        : { texts: [block.resource.uri], binaries: [block.resource.blob] };
    case 'resource_link':
      return { texts: [JSON.stringify(block)], binaries: [] };
  }
}

function isBinary(block: ContentBlock): boolean {
  return weigh(block).binaries.length > 0;
}

function loadOfContent(budget: OutputBudget, content: readonly ContentBlock[]): number {
  const weights = content.map(weigh);
  return loadOf(
    budget,
    weights.flatMap(({ texts }) => texts),
    weights.flatMap(({ binaries }) => binaries),
  );
}

/** The binary blocks that do not fit beside the others, of which texts have a claim to half of the budget. */
function leaveOut(content: readonly ContentBlock[], budget: OutputBudget): ReadonlySet<ContentBlock> {
  const binaries = content.filter(isBinary);
  const texts = content.filter((block) => !isBinary(block));
  let load = Math.min(loadOfContent(budget, texts), 0.5);
  return new Set(
    binaries.filter((block) => {
      const own = loadOfContent(budget, [block]);
      if (load + own > 1) return true;
      load += own;
      return false;
    }),
  );
}

function describeLeftOut(block: ContentBlock): TextContent {
  const { mimeType } = block.type === 'resource' ? block.resource : (block as { mimeType?: string });
  const kind = block.type === 'resource' ? 'blob' : block.type;
  const size = weigh(block).binaries.reduce((sum, data) => sum + Math.floor((data.length * 3) / 4), 0);
  const type = mimeType === undefined ? '' : ` (${clip(mimeType)})`;
  return { type: 'text', text: `[${kind}${type} of ${size} bytes left out: above the output limit]` };
}

/** Marks a number as text, with characters that nobody uses. */
const MARK = '\u{f1f1f}';

/**
 * A text that is a JSON list or object, and how to write it again. JavaScript would round numbers of many
 * digits, so these are carried as marked strings.
 */
function readJsonText(text: string): { value: unknown; write: (value: unknown) => string } | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const value = parseJson(text);
  if (value === undefined) return undefined;
  const indent = /^\s*[[{]\r?\n([ \t]+)/.exec(text)?.[1];
  const write = (part: unknown): string => JSON.stringify(part, null, indent);
  if (!/\d[\d.]{14}/.test(text) || text.includes(MARK)) return { value, write };
  // The text is known to be JSON, so every quote has its other half and nothing is tried twice.
  const marked = text.replaceAll(/"(?:[^"\\]+|\\.)*"|-?\d[\d.]{14,}(?:[eE][-+]?\d+)?/g, (token) =>
    token.startsWith('"') ? token : `"${MARK}${token}"`,
  );
  return {
    value: JSON.parse(marked),
    write: (part) => write(part).replaceAll(new RegExp(`"${MARK}([^"]*)"`, 'gu'), '$1'),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function toJson(value: unknown): string {
  return JSON.stringify(value);
}

function toPrettyJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** A copy that is what a reader of the JSON will have. */
function toPlainJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

// ---- words

function describePath(path: readonly (string | number)[]): string {
  if (path.length === 0) return 'the result';
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${clip(step)}`)).join('');
  return clip(text.startsWith('.') ? text.slice(1) : text, 80);
}

/** Names come from data: they stay on the line, and short. */
function clip(name: string, length = 40): string {
  const flat = name.replaceAll(/[\p{C}\p{Z}]+/gu, ' ');
  return flat.length > length ? `${flat.slice(0, endOfCharacter(flat, length - 1))}…` : flat;
}

/** What the words in a field's name say about its use. */
const narrowing: readonly (readonly [advice: string, words: RegExp])[] = [
  ['page with', /^(limit|page|cursor|offset|skip|take|top|first|last|after|before|results|continuation)$/],
  [
    'filter with',
    /^(filters?|query|q|search|where|since|until|range|match|pattern|prefix|status|state|type|tags?|labels?|start|end|min|max|date)$/,
  ],
  [
    'choose with',
    /^(fields?|select|columns|properties|attributes|include|exclude|omit|expand|projection|depth)$/,
  ],
];

function adviseNarrowing(fieldNames: readonly string[]): string {
  const advice: string[] = [];
  const used = new Set<string>();
  for (const [verb, words] of narrowing) {
    const names = fieldNames
      .filter((name) => !used.has(name) && wordsOf(name).some((word) => words.test(word)))
      .slice(0, MAX_NAMED);
    for (const name of names) used.add(name);
    if (names.length > 0) advice.push(`${verb} ${names.map((name) => clip(name)).join(', ')}`);
  }
  return advice.length > 0 ? advice.join('; ') : 'ask for less at once';
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
}

// ---- errors

function tooLarge(
  { bytes, tokens }: OutputBudget,
  load: number,
  fieldNames: readonly string[] = [],
): ErrOutputTooLarge {
  const limits = [
    ...(bytes === undefined ? [] : [`${bytes} bytes`]),
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
  ];
  const times = load > 1 ? ` by a factor of ${load.toFixed(load < 10 ? 2 : 0)}` : '';
  return new ErrOutputTooLarge(
    `The result is above the output limit of ${limits.join(' and ')}${times} and cannot be shortened.`,
    {
      hint: `Narrow the call (${adviseNarrowing(fieldNames)}), or have the limit raised.`,
      details: {
        ...(bytes === undefined ? {} : { bytes }),
        ...(tokens === undefined ? {} : { tokens }),
        load,
      },
    },
  );
}

/** Makes a value that nests deeper than the stack an answer instead of a crash. */
function boundDepth<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError && error.message.includes('call stack'))) throw error;
    throw new ErrOutputTooLarge('The result is nested too deeply to be written.', {
      hint: 'Narrow the call, so that it answers with fewer levels.',
      cause: error,
    });
  }
}
