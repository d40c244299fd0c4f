import { compareSchemas } from '@toolfold/schema';
import type { Inclusion, SchemaRelation } from '@toolfold/schema';
import { canonicalJson } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from 'toolfold';
import type { Change } from './change.js';
import { describeSchemaChanges } from './schema-details.js';
import type { SchemaDetails } from './schema-details.js';
import { diffWords } from './word-diff.js';

/** Milliseconds for one direction of a comparison. */
const MAX_MS = 1_000;
const MAX_TEXTS = 20;

/** Limits the time for hostile schemas. Schemas that are not compared by then count as undecided. */
export interface Budget {
  readonly leftMs: () => number;
}

interface Pair {
  readonly address: string;
  readonly before: JsonSchemaObject;
  readonly after: JsonSchemaObject;
}

/** Judges the change of an input schema. Callers send values, so a schema that accepts less breaks them. */
export function judgeInput(pair: Pair, budget: Budget): Change[] {
  const { address, before, after } = pair;
  if (canonicalJson(before) === canonicalJson(after)) return [];
  const { keeps, addsNothing } = relate(pair, budget);
  const details = describeSchemaChanges(before, after);
  const { lines, defaults, removed } = details;
  const common = { address, details: lines };
  const changes: Change[] = [];
  if (keeps.holds === undefined)
    changes.push({
      ...common,
      severity: 'undecided',
      kind: 'input-undecided',
      message: `It is undecided whether the input still accepts every call that it accepted. ${keeps.reason}`,
    });
  else if (!keeps.holds) changes.push({ ...common, ...narrowedInput(keeps, addsNothing) });
  else if (removed.length > 0)
    changes.push({
      ...common,
      severity: 'risky',
      kind: 'input-field-removed',
      message: `The input accepts every call that it accepted, but no longer declares ${nameFields(removed)}, which the tool may ignore or reject.`,
    });
  else if (addsNothing.holds !== true)
    changes.push({
      ...common,
      severity: 'compatible',
      kind: 'input-widened',
      message:
        addsNothing.holds === false
          ? 'Input widened: it accepts every call that it accepted, and more.'
          : 'The input accepts every call that it accepted. It is undecided whether it accepts more.',
      ...witnessOf(addsNothing, 'after'),
    });
  else if (lines.length > 0)
    changes.push({
      ...common,
      severity: 'note',
      kind: 'input-rewritten',
      message: 'The input schema is written differently and accepts the same calls.',
    });
  if (removed.length > 0 && changes[0]?.severity === 'minor')
    changes.push({
      address,
      severity: 'risky',
      kind: 'input-field-removed',
      message: `The input no longer declares ${nameFields(removed)}, which the tool may ignore or reject.`,
    });
  if (defaults.length > 0)
    changes.push({
      address,
      severity: 'risky',
      kind: 'input-default-changed',
      message: 'Calls that omit a field get another value.',
      details: defaults,
    });
  return [...changes, ...judgeTexts(address, 'input', details)];
}

function narrowedInput(
  keeps: Extract<Inclusion, { holds: false }>,
  addsNothing: Inclusion,
): Pick<Change, 'severity' | 'kind' | 'message' | 'witness'> {
  const witness = witnessOf(keeps, 'before');
  if (keeps.isUndeclaredOnly)
    return {
      severity: 'minor',
      kind: 'input-narrowed-undeclared',
      message: 'Input narrowed, but only for calls with fields that the old schema did not declare.',
      ...witness,
    };
  if (addsNothing.holds === false)
    return {
      severity: 'breaking',
      kind: 'input-changed',
      message:
        'Input narrowed and widened: it rejects calls that it accepted, and accepts calls that it rejected.',
      ...witness,
    };
  return {
    severity: 'breaking',
    kind: 'input-narrowed',
    message: `Input narrowed: it rejects calls that it accepted.${addsNothing.holds === undefined ? ' It is undecided whether it also accepts more.' : ''}`,
    ...witness,
  };
}

/** Judges the change of an output schema. Callers read values, so a schema that allows more may break them. */
export function judgeOutput(pair: Pair, budget: Budget): Change[] {
  const { address, before, after } = pair;
  if (canonicalJson(before) === canonicalJson(after)) return [];
  const { keeps, addsNothing } = relate(pair, budget);
  const details = describeSchemaChanges(before, after);
  const { lines, removed } = details;
  const common = { address, details: lines };
  const changes: Change[] = [];
  if (addsNothing.holds === undefined)
    changes.push({
      ...common,
      severity: 'undecided',
      kind: 'output-undecided',
      message: `It is undecided whether results still match the old output schema. ${addsNothing.reason}`,
    });
  else if (!addsNothing.holds)
    changes.push({
      ...common,
      severity: addsNothing.isUndeclaredOnly ? 'minor' : 'risky',
      kind: addsNothing.isUndeclaredOnly ? 'output-widened-undeclared' : 'output-widened',
      message: addsNothing.isUndeclaredOnly
        ? 'Output widened, but only for results with fields that the new schema does not declare.'
        : 'Output widened: results may have values that callers do not expect.',
      ...witnessOf(addsNothing, 'after'),
    });
  else if (keeps.holds !== true)
    changes.push({
      ...common,
      severity: 'compatible',
      kind: 'output-narrowed',
      message: 'Output narrowed: every result matches the old schema.',
    });
  else if (lines.length > 0)
    changes.push({
      ...common,
      severity: 'note',
      kind: 'output-rewritten',
      message: 'The output schema is written differently and allows the same results.',
    });
  if (removed.length > 0 && changes.every(({ severity }) => severity !== 'risky'))
    changes.push({
      address,
      severity: 'risky',
      kind: 'output-field-removed',
      message: `The output no longer declares ${nameFields(removed)}.`,
    });
  return [...changes, ...judgeTexts(address, 'output', details)];
}

function relate({ before, after }: Pair, { leftMs }: Budget): SchemaRelation {
  const left = leftMs();
  if (left > 0) return compareSchemas(before, after, { maxMs: Math.min(MAX_MS, left) });
  const undecided = { holds: undefined, reason: 'The comparison ran out of time.' } as const;
  return { keeps: undecided, addsNothing: undecided };
}

function witnessOf(inclusion: Inclusion, acceptedBy: 'before' | 'after'): Pick<Change, 'witness'> {
  return inclusion.holds === false ? { witness: { acceptedBy, value: inclusion.witness } } : {};
}

function judgeTexts(address: string, side: 'input' | 'output', { texts }: SchemaDetails): Change[] {
  return texts.slice(0, MAX_TEXTS).map(({ path, before, after }) => ({
    address,
    severity: 'note',
    kind: `${side}-description`,
    message: `The description of ${path} changed.`,
    words: diffWords(before, after),
  }));
}

const MAX_NAMED = 10;

function nameFields(fields: readonly string[]): string {
  const more = fields.length - MAX_NAMED;
  return [...fields.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more fields`] : [])].join(', ');
}
