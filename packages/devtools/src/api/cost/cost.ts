import {
  forms,
  inParts,
  measure,
  measureSurfaces,
  TOKENIZER,
  yieldToEventLoop,
} from '@toolfold/analysis/internal';
import type { ToolCounter } from '@toolfold/analysis/internal';
import type { CostReport, SurfaceCosts } from '../../page-api.js';
import { ApiFailure } from '../../http/answers.js';
import { asListed } from '../form/as-listed.js';
import { counterOf } from '../form/counter.js';
import { offeredBy, openForm, problemOfFixed, shownProfiles } from '../form/forms.js';
import type { FormAndProfile } from '../form/forms.js';
import type { Snapshot } from '../snapshot.js';
import { isFixed, surfaceOf } from '../surface.js';
import { buildCostTree } from './cost-tree.js';

export function costOf(snapshot: Snapshot, wanted: FormAndProfile, signal: AbortSignal): Promise<CostReport> {
  const { form, profile } = wanted;
  return snapshot.share(`cost ${form} ${profile}`, signal, async (shared) => {
    const lowered = await openForm(snapshot, wanted, shared);
    const authored = await openForm(snapshot, { form, profile: 'none' }, shared);
    for (const each of [lowered, authored])
      if ('problem' in each) throw new ApiFailure(each.problem, { status: 422 });
    if ('problem' in lowered || 'problem' in authored) throw new ApiFailure('Not possible.');
    const counter = await counterOf(snapshot, shared);
    const { opened } = authored;
    const shown = asListed(
      snapshot,
      wanted,
      opened.tools.map(({ tool }) => tool),
    );
    const tools = opened.tools.map((each, at) => ({ ...each, tool: shown[at] ?? each.tool }));
    const report = await measure(
      // The page requests the other forms separately.
      { ...opened, tools, surfaces: undefined },
      { source: snapshot.source.target, profile, isAll: false, limits: {}, counter, signal: shared },
    );
    const names = asListed(snapshot, wanted, lowered.opened.view.listTools()).map(({ name }) => name);
    const listed = new Map(opened.tools.map((tool, at) => [names[at] ?? tool.tool.name, tool]));
    const costed = report.tools.flatMap((cost) => {
      const tool = listed.get(cost.name);
      return tool ? [{ listed: tool, cost }] : [];
    });
    const { toolsets } = await surfaceOf(snapshot, shared);
    await yieldToEventLoop(shared);
    const titles = new Map(toolsets.map(({ key, name = key }) => [key, name]));
    return {
      ...wanted,
      tokenizer: report.tokenizer,
      counted: report.counted,
      isExact: report.isExact,
      tokens: report.tokens,
      parts: report.parts,
      nodes: buildCostTree(opened.view, costed, titles, snapshot.loaded.registry.name),
    };
  });
}

export function surfacesOf(snapshot: Snapshot, signal: AbortSignal): Promise<SurfaceCosts> {
  return snapshot.share('surfaces', signal, async (shared) => {
    const offered = offeredBy(snapshot);
    const opened = await openForm(snapshot, { form: offered.form, profile: 'none' }, shared);
    if ('problem' in opened) throw new ApiFailure(opened.problem, { status: 422 });
    // Use a separate counter: counters remember their texts, and all forms and profiles have many.
    const counted = new AbortController();
    const counter = snapshot.tokens.createCounter(AbortSignal.any([shared, counted.signal]));
    const rows: SurfaceRow[] = [];
    try {
      const costs = await measureSurfaces(
        isFixed(snapshot.loaded) ? { ...opened.opened, surfaces: undefined } : opened.opened,
        shownProfiles,
        { counter, signal: shared },
      );
      for (const { form = offered.form, ...cost } of costs)
        rows.push(await countListed(snapshot, { ...cost, form }, counter, shared));
    } finally {
      counted.abort();
    }
    return { tokenizer: TOKENIZER, rows: [...rows, ...missingForms(snapshot, offered)] };
  });
}

type SurfaceRow = SurfaceCosts['rows'][number];

/** Counts a row again if the page shows its tools with the texts of another server. */
async function countListed(
  snapshot: Snapshot,
  row: SurfaceRow,
  counter: ToolCounter,
  signal: AbortSignal,
): Promise<SurfaceRow> {
  if ('problem' in row || row.profile !== 'none' || !snapshot.source.upstream) return row;
  const opened = await openForm(snapshot, { form: row.form, profile: 'none' }, signal);
  if ('problem' in opened) return row;
  const tools = opened.opened.tools.map(({ tool }) => tool);
  const shown = asListed(snapshot, row, tools);
  if (shown === tools) return row;
  const counts = await inParts(shown, counter.count, signal);
  return { ...row, tokens: counts.reduce((sum, count) => sum + count, 0) };
}

/** Lists the forms that the exported Exposure or Toolsets excludes. */
function missingForms(snapshot: Snapshot, offered: FormAndProfile): SurfaceCosts['rows'] {
  if (!isFixed(snapshot.loaded)) return [];
  return forms
    .filter((form) => form !== offered.form)
    .flatMap((form) =>
      shownProfiles.map((profile) => ({
        form,
        profile,
        problem: problemOfFixed(snapshot, { form, profile: 'none' }) ?? '',
      })),
    );
}
