import { findMirror, keepWhole, toSlot } from './content-slots.js';
import type { Slot } from './content-slots.js';
import { describeCuts } from './describe-cuts.js';
import { findCuts } from './find-cuts.js';
import type { Cut } from './find-cuts.js';
import { fitValue } from './fit-value.js';
import { toJson } from './json-text.js';
import { describeLeftOut } from './leave-out.js';
import type { FitResultOptions, OutputBudget } from './output-budget.js';
import { loadOf, loadOfContent, roomOf } from './output-load.js';
import type { CallToolResult, ContentBlock } from '../../protocol/tool-result.js';

/** A program reads at most so many cuts. */
const MAX_LISTED = 50;
/** So many blocks are all kept, if only in part; longer lists of blocks are lists like any other. */
const FEW_BLOCKS = 10;

/** The parts of all blocks, by their place. */
type Parts = Readonly<Record<number, unknown>>;

/** Cuts a result without the blocks that are left out; nothing where that does not make it fit. */
export function cutResult(
  result: CallToolResult,
  budget: OutputBudget,
  { accepts = () => true, write, fieldNames = [], data: source }: FitResultOptions,
  leftOut: ReadonlySet<ContentBlock>,
): CallToolResult | undefined {
  const { structuredContent, ...rest } = result;
  const isError = result.isError === true;
  const isStructured = structuredContent !== undefined;
  const given = isStructured ? structuredContent : source;
  const json = given === undefined ? undefined : toJson(given);
  // A copy that is what a reader of the JSON will have.
  const data: unknown = json === undefined ? undefined : JSON.parse(json);
  const found = isError || json === undefined ? undefined : findMirror(result.content, { data, json }, write);
  const mirror = found?.index ?? -1;
  const slots = result.content.map((block, index) => {
    if (found && index === mirror) return found.slot;
    return leftOut.has(block) ? keepWhole(describeLeftOut(block), budget) : toSlot(block, isError, budget);
  });
  const own = mirror < 0 && isStructured ? data : undefined;
  const fitted = fitData(own, budget, isError, accepts);
  if (!fitted) return undefined;

  const cutsBefore = [...fitted.cuts];
  for (const [index, block] of result.content.entries()) {
    if (leftOut.has(block)) cutsBefore.push({ path: ['content', index], kept: 0, of: 1, unit: 'items' });
  }
  // The entries of an object all stay, a list may be shortened.
  const parts = slots.map(({ part }) => part);
  const whole: Parts = mirror >= 0 || parts.length <= FEW_BLOCKS ? { ...parts } : parts;
  const listCuts = (kept: Parts): Cut[] => [
    ...cutsBefore,
    ...findCuts(whole, kept).map(({ path: [index, ...inner], ...cut }): Cut => {
      const isOnly = (slots.length === 1 && !isStructured) || Number(index) === mirror;
      const path = index === undefined ? ['content'] : isOnly ? inner : ['content', Number(index), ...inner];
      return { path, ...cut };
    }),
  ];
  const render = (kept: Parts): ContentBlock[] => {
    const blocks = Object.entries(kept).map(([index, part]): ContentBlock => {
      const slot = slots[Number(index)] as Slot;
      return part === slot.part ? slot.block : slot.withPart(part);
    });
    const note = describeCuts(listCuts(kept), fieldNames);
    return note === '' ? blocks : [...blocks, { type: 'text', text: note }];
  };
  const dataIn = (kept: Parts): unknown => (mirror < 0 ? fitted.value : kept[mirror]);
  const fitting = fitValue(whole, {
    room: roomOf(budget),
    load: (kept) =>
      Math.max(
        loadOfContent(budget, render(kept)),
        mirror >= 0 && isStructured ? loadOf(budget, [toJson(dataIn(kept))]) : 0,
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
  const kept = fitValue(data, { room: roomOf(budget), load, accepts });
  return kept && { value: kept.value, cuts: findCuts(data, kept.value) };
}
