import { canonicalJson } from '@toolfold/schema/internal';
import type { ListedHints, TaskSupport } from '../target/opened-target.js';
import { toLine } from 'toolfold/internal';
import type { Change } from './change.js';
import { judgeInput, judgeOutput } from './judge-schema.js';
import type { Budget } from './judge-schema.js';
import type { SurfaceItem } from './surface.js';
import { diffWords } from './word-diff.js';

/** The facts that both surfaces have, so that they can be compared. */
export interface Known {
  /** Scopes and aliases, and the hints, descriptions and output schemas of actions. */
  readonly definitions: boolean;
  readonly taskSupport: boolean;
}

interface ItemPair {
  readonly address: string;
  readonly before: SurfaceItem;
  readonly after: SurfaceItem;
  readonly isAction: boolean;
  readonly known: Known;
}

export function judgeItem(pair: ItemPair, budget: Budget): Change[] {
  const { address, before, after, isAction, known } = pair;
  const hasHints = known.definitions || !isAction;
  return [
    ...(known.definitions ? judgeScopes(address, before.scopes, after.scopes) : []),
    ...(before.inputSchema && after.inputSchema
      ? judgeInput({ address, before: before.inputSchema, after: after.inputSchema }, budget)
      : []),
    ...(hasHints ? judgeOutputs(pair, budget) : []),
    ...(hasHints ? judgeHints(address, before.annotations, after.annotations) : []),
    ...(known.taskSupport ? judgeTaskSupport(address, before.taskSupport, after.taskSupport) : []),
    ...(hasHints ? judgeTexts(pair) : []),
  ];
}

function judgeScopes(
  address: string,
  before: readonly string[] = [],
  after: readonly string[] = [],
): Change[] {
  const added = after.filter((scope) => !before.includes(scope));
  const removed = before.filter((scope) => !after.includes(scope));
  return [
    ...(added.length === 0
      ? []
      : [
          {
            address,
            severity: 'breaking',
            kind: 'scope-added',
            message: `Calls also need ${nameScopes(added)}. Callers without ${added.length === 1 ? 'it' : 'them'} are rejected.`,
          } as const,
        ]),
    ...(removed.length === 0
      ? []
      : [
          {
            address,
            severity: 'compatible',
            kind: 'scope-removed',
            message: `Calls no longer need ${nameScopes(removed)}.`,
          } as const,
        ]),
  ];
}

function nameScopes(scopes: readonly string[]): string {
  return `the scope${scopes.length === 1 ? '' : 's'} ${scopes.map((scope) => toLine(scope)).join(', ')}`;
}

function judgeOutputs({ address, before, after }: ItemPair, budget: Budget): Change[] {
  if (before.outputSchema && after.outputSchema)
    return judgeOutput({ address, before: before.outputSchema, after: after.outputSchema }, budget);
  if (before.outputSchema)
    return [
      {
        address,
        severity: 'risky',
        kind: 'output-removed',
        message: 'The output schema was removed. Callers that read structured results may find none.',
      },
    ];
  return after.outputSchema
    ? [{ address, severity: 'compatible', kind: 'output-added', message: 'An output schema was added.' }]
    : [];
}

interface Effect {
  readonly kind: string;
  readonly riskier: string;
  readonly safer: string;
  /** Whether a client must assume the risk. MCP defines what a missing hint means. */
  readonly isRisky: (hints: ListedHints) => boolean;
  /** Whether the hint only applies to tools that write. */
  readonly isAboutWrites?: boolean;
}

const effects: readonly Effect[] = [
  {
    kind: 'writes',
    riskier: 'It was marked read-only and may now change data.',
    safer: 'It is now marked read-only. Clients may stop asking for approval.',
    isRisky: ({ readOnly }) => readOnly !== true,
  },
  {
    kind: 'destructive',
    riskier: 'It may now destroy data.',
    safer: 'It is no longer marked destructive. Clients may stop asking for approval.',
    isRisky: ({ destructive }) => destructive !== false,
    isAboutWrites: true,
  },
  {
    kind: 'open-world',
    riskier: 'It may now reach the outside world.',
    safer: 'It is now marked as working in a closed world.',
    isRisky: ({ openWorld }) => openWorld !== false,
  },
  {
    kind: 'idempotent',
    riskier: 'It is no longer marked idempotent, so repeated calls may have further effects.',
    safer: 'It is now marked idempotent.',
    isRisky: ({ idempotent }) => idempotent !== true,
    isAboutWrites: true,
  },
];

function judgeHints(address: string, before: ListedHints = {}, after: ListedHints = {}): Change[] {
  const changes = effects.flatMap(({ kind, riskier, safer, isRisky, isAboutWrites }): Change[] => {
    if (isAboutWrites === true && (before.readOnly === true || after.readOnly === true)) return [];
    const [was, is] = [isRisky(before), isRisky(after)];
    if (was === is) return [];
    return [
      is
        ? { address, severity: 'risky', kind: `hint-${kind}`, message: riskier }
        : { address, severity: 'compatible', kind: `hint-not-${kind}`, message: safer },
    ];
  });
  if (changes.length > 0 || canonicalJson(before) === canonicalJson(after)) return changes;
  return [
    {
      address,
      severity: 'note',
      kind: 'hint-declared',
      message: 'The hints are declared differently and mean the same.',
    },
  ];
}

function judgeTaskSupport(
  address: string,
  before: TaskSupport = 'forbidden',
  after: TaskSupport = 'forbidden',
): Change[] {
  if (before === after) return [];
  const message = `Task support changed from ${toLine(before)} to ${toLine(after)}.`;
  if (after === 'required')
    return [
      {
        address,
        severity: 'breaking',
        kind: 'task-required',
        message: `${message} Clients without task support are rejected.`,
      },
    ];
  return [
    { address, severity: after === 'forbidden' ? 'risky' : 'compatible', kind: 'task-support', message },
  ];
}

function judgeTexts({ address, before, after, isAction }: ItemPair): Change[] {
  const changes: Change[] = [];
  if ((before.title ?? '') !== (after.title ?? ''))
    changes.push({
      address,
      severity: 'note',
      kind: 'title',
      message: 'The title changed.',
      words: diffWords(before.title ?? '', after.title ?? ''),
    });
  if ((before.description ?? '') !== (after.description ?? '') && !describesActions(before, after, isAction))
    changes.push({
      address,
      severity: 'note',
      kind: 'description',
      message: 'The description changed.',
      words: diffWords(before.description ?? '', after.description ?? ''),
    });
  return changes;
}

/** Whether two descriptions of a grouped tool differ only because they list its actions, whose changes are reported separately. */
function describesActions(before: SurfaceItem, after: SurfaceItem, isAction: boolean): boolean {
  if (isAction || !('actions' in before) || !('actions' in after)) return false;
  return listActions(before) !== listActions(after);
}

function listActions({ actions }: { readonly actions?: unknown }): string {
  return canonicalJson((actions as SurfaceItem[]).map(({ name, description }) => [name, description ?? '']));
}
