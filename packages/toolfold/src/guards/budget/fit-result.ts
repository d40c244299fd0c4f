import { ErrOutputTooLarge } from '@toolfold/schema/errors';
import type { CallToolResult, ContentBlock } from '../../protocol/tool-result.js';
import { defined } from '../../values/defined.js';
import {
  describeDropped,
  findMirror,
  findOversizedBinaries,
  keepWhole,
  toJson,
  toPart,
} from './content-parts.js';
import type { ContentPart } from './content-parts.js';
import { adviseNarrowing, describeCuts, findCuts } from './describe-cuts.js';
import type { Cut } from './describe-cuts.js';
import { isBinary, roomOf, usageOf, usageOfContent } from './output-budget.js';
import type { OutputBudget } from './output-budget.js';
import { measure, createShrinker, levels } from './shrink-value.js';
import type { Measures } from './shrink-value.js';

/** A cut that uses this much of the budget is good enough. */
const GOOD_USAGE = 0.98;
const MAX_TRIES = 24;
/** After this many characters of attempts, the largest cut found so far is good enough. */
const MAX_WORK = 512 * 1024;
/** JSON may be up to this many times as long as the text written from it, because TOON omits repeated keys. */
const MAX_GAIN = 4;

/** The limits that a value must fit into. */
interface Frame<T> {
  /** Approximate number of characters of JSON that fit into the budget. The search starts from it. */
  readonly room: number;
  /** The fraction of the budget that a cut uses; at most 1 fits. */
  readonly usage: (part: T) => number;
  /** Whether the output schema accepts a cut. Default: every cut is accepted. */
  readonly accepts?: (part: T) => boolean;
}

/**
 * Finds a large cut of a value that fits and is accepted, or `undefined`. The work depends on the room, not on the size
 * of the value: everything beyond four times the room is neither measured nor written.
 */
export function fitValue<T>(
  whole: T,
  { room, usage, accepts = () => true }: Frame<T>,
): { value: T } | undefined {
  const wholeUsage = usage(whole);
  if (wholeUsage <= 1) return { value: whole };
  const measures: Measures = { sizes: new Map(), cuttable: new Set(), limit: room * MAX_GAIN };
  const size = measure(whole, measures);
  const above =
    size <= measures.limit ? { usage: wholeUsage, room: size } : { usage: MAX_GAIN, room: measures.limit };
  for (const level of levels) {
    const shrink = createShrinker(measures, level);
    const found = findLargest(above, (limit) => {
      const part = shrink(whole, limit);
      if (part.size > measures.limit) return { ...part, usage: Infinity };
      return { ...part, usage: part.value === whole ? wholeUsage : usage(part.value) };
    });
    if (found && accepts(found.value)) return found;
  }
  return undefined;
}

interface Attempt<T> {
  readonly value: T;
  readonly size: number;
  readonly usage: number;
}

/** Searches for the most room whose cut fits the budget, interpolating between the attempts so far. */
function findLargest<T>(
  whole: { readonly usage: number; readonly room: number },
  attempt: (room: number) => Attempt<T>,
): { value: T } | undefined {
  let best = { ...attempt(0), room: 0 };
  if (!(best.usage <= 1)) return undefined;
  let above = whole;
  let work = 0;
  for (let tries = 1; tries <= MAX_TRIES && best.usage < GOOD_USAGE && above.room - best.room > 1; tries++) {
    if (work > MAX_WORK && best.room > 0) break;
    const guess =
      tries % 3 === 0
        ? Math.sqrt((best.room + 1) * above.room)
        : best.room + ((above.room - best.room) * (1 - best.usage)) / (above.usage - best.usage);
    const room = Math.max(best.room + 1, Math.min(above.room - 1, Math.floor(guess) || 0));
    const tried = { ...attempt(room), room };
    work += tried.size;
    if (tried.usage <= 1) best = tried;
    else above = tried;
  }
  return best;
}

export interface FitResultOptions {
  /** Whether the output schema accepts a structured content. Default: every content is accepted. */
  readonly accepts?: (value: unknown) => boolean;
  /** Writes data as text, if the handler's format is not JSON. */
  readonly write?: (value: unknown) => string;
  /** The data that a text was written from, if there is no structured content. The text is then cut as data. */
  readonly data?: unknown;
  /** The argument names of the action. The note about a cut suggests those that page or filter, such as `limit`. */
  readonly fieldNames?: readonly string[];
}

/** At most this many cuts are listed in `_meta`. */
const MAX_LISTED = 50;
/** Up to this many blocks are all kept, if only in part. Longer lists of blocks are shortened like other lists. */
const FEW_BLOCKS = 10;

type Values = Readonly<Record<number, unknown>>;

/**
 * Cuts a result to its budget. A result that fits is returned itself. Otherwise the copy describes its cuts in a last
 * text block and lists them in `_meta['toolfold/cut']`.
 *
 * Clients show the model the content, the structured content or both, so each must fit on its own: the larger of the two
 * counts. Images, audio and blobs count as the bytes of their base64 and as a fixed number of tokens. The paths of cuts
 * lead into the structured content or the only block; otherwise they begin with `content` and the index of the block.
 */
export function fitResult(
  result: CallToolResult,
  budget: OutputBudget,
  options: FitResultOptions = {},
): CallToolResult {
  return boundDepth(() => {
    const data = result.structuredContent === undefined ? '' : JSON.stringify(result.structuredContent);
    const usage = Math.max(usageOfContent(budget, result.content), usageOf(budget, [data]));
    if (usage <= 1) return result;
    const fitted =
      cutResult(result, budget, options, findOversizedBinaries(result.content, budget)) ??
      cutResult(result, budget, options, new Set(result.content.filter(isBinary)));
    if (!fitted) throw tooLarge(budget, usage, options.fieldNames);
    return fitted;
  });
}

/** Cuts a result and replaces the dropped blocks. Returns `undefined` if the result still does not fit. */
function cutResult(
  result: CallToolResult,
  budget: OutputBudget,
  { accepts = () => true, write, fieldNames = [], data: source }: FitResultOptions,
  dropped: ReadonlySet<ContentBlock>,
): CallToolResult | undefined {
  const { structuredContent, ...rest } = result;
  const isError = result.isError === true;
  const isStructured = structuredContent !== undefined;
  const given = isStructured ? structuredContent : source;
  const json = given === undefined ? undefined : toJson(given);
  // Parsing gives the plain data that a reader of the JSON gets.
  const data: unknown = json === undefined ? undefined : JSON.parse(json);
  const found = isError || json === undefined ? undefined : findMirror(result.content, { data, json }, write);
  const mirror = found?.index ?? -1;
  const parts = result.content.map((block, index) => {
    if (found && index === mirror) return found.part;
    return dropped.has(block) ? keepWhole(describeDropped(block), budget) : toPart(block, isError, budget);
  });
  const unmirrored = mirror < 0 && isStructured ? data : undefined;
  const fitted = fitData(unmirrored, budget, isError, accepts);
  if (!fitted) return undefined;

  const cutsBefore = [...fitted.cuts];
  for (const [index, block] of result.content.entries()) {
    if (dropped.has(block)) cutsBefore.push({ path: ['content', index], kept: 0, of: 1, unit: 'items' });
  }
  // All entries of a small object are kept, while a list may lose items. So the container decides what may be dropped.
  const values = parts.map(({ value }) => value);
  const whole: Values = mirror >= 0 || values.length <= FEW_BLOCKS ? { ...values } : values;
  const listCuts = (kept: Values): Cut[] => [
    ...cutsBefore,
    ...findCuts(whole, kept).map(({ path: [index, ...inner], ...cut }): Cut => {
      const isOnly = (parts.length === 1 && !isStructured) || Number(index) === mirror;
      const path = index === undefined ? ['content'] : isOnly ? inner : ['content', Number(index), ...inner];
      return { path, ...cut };
    }),
  ];
  const render = (kept: Values): ContentBlock[] => {
    const blocks = Object.entries(kept).map(([index, value]): ContentBlock => {
      const part = parts[Number(index)] as ContentPart;
      return value === part.value ? part.block : part.withValue(value);
    });
    const note = describeCuts(listCuts(kept), fieldNames);
    return note === '' ? blocks : [...blocks, { type: 'text', text: note }];
  };
  const dataIn = (kept: Values): unknown => (mirror < 0 ? fitted.value : kept[mirror]);
  const fitting = fitValue(whole, {
    room: roomOf(budget),
    usage: (kept) =>
      Math.max(
        usageOfContent(budget, render(kept)),
        mirror >= 0 && isStructured ? usageOf(budget, [toJson(dataIn(kept))]) : 0,
      ),
    accepts: (kept) => mirror < 0 || accepts(dataIn(kept)),
  });
  if (!fitting) return undefined;

  const shown = dataIn(fitting.value);
  return {
    ...rest,
    content: render(fitting.value),
    ...(isStructured && shown !== undefined ? { structuredContent: shown } : {}),
    _meta: { ...result._meta, 'toolfold/cut': listCuts(fitting.value).slice(0, MAX_LISTED) },
  };
}

/** Cuts structured content that no block repeats. An error's data follows no schema, so it is kept or dropped. */
function fitData(
  data: unknown,
  budget: OutputBudget,
  isError: boolean,
  accepts: (value: unknown) => boolean,
): { value?: unknown; cuts: readonly Cut[] } | undefined {
  const usage = (part: unknown): number => usageOf(budget, [toJson(part)]);
  if (data === undefined || usage(data) <= 1) return { value: data, cuts: [] };
  if (isError) return { cuts: [{ path: ['structuredContent'], kept: 0, of: 1, unit: 'items' }] };
  const kept = fitValue(data, { room: roomOf(budget), usage, accepts });
  return kept && { value: kept.value, cuts: findCuts(data, kept.value) };
}

function tooLarge(
  { bytes, tokens }: OutputBudget,
  usage: number,
  fieldNames: readonly string[] = [],
): ErrOutputTooLarge {
  const limits = [
    ...(bytes === undefined ? [] : [`${bytes} bytes`]),
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
  ];
  const times = usage > 1 ? ` by a factor of ${usage.toFixed(usage < 10 ? 2 : 0)}` : '';
  return new ErrOutputTooLarge(
    `The result is above the output limit of ${limits.join(' and ')}${times} and cannot be shortened.`,
    {
      hint: `Narrow the call (${adviseNarrowing(fieldNames)}), or have the limit raised.`,
      details: defined({ bytes, tokens, load: usage }),
    },
  );
}

/** Turns the stack overflow of a very deep value into an error result. */
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
