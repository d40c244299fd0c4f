import type { ComponentChildren } from 'preact';
import type { FindingCounts, ListedHints } from '../../../src/page-api.js';
import { classOf } from './button.js';
import { Icon } from './icons.js';
import { visibleText } from './text.js';

export type BadgeKind =
  | 'plain'
  | 'ok'
  | 'warning'
  | 'error'
  | 'info'
  | 'read'
  | 'write'
  | 'destructive'
  | 'accent'
  | 'outline';

interface BadgeProps {
  readonly kind?: BadgeKind | undefined;
  readonly title?: string | undefined;
  readonly children: ComponentChildren;
}

export function Badge({ kind = 'plain', title, children }: BadgeProps) {
  return (
    <span class={classOf('badge', kind !== 'plain' && `badge-${kind}`)} title={title}>
      {typeof children === 'string' ? <bdi>{visibleText(children)}</bdi> : children}
    </span>
  );
}

/** Summarises the effect of an action, in the words of its annotations. */
export type Risk = 'read' | 'write' | 'destructive';

/** MCP assumes that a tool without annotations may destroy something; only a declared risk is shown as one. */
export function riskOf(hints: ListedHints | undefined): Risk | undefined {
  if (hints?.readOnly === true) return 'read';
  if (hints?.destructive === true) return 'destructive';
  return hints?.readOnly === false || hints?.destructive === false ? 'write' : undefined;
}

const riskNames: Readonly<Record<Risk, string>> = {
  read: 'read-only',
  write: 'writes',
  destructive: 'destructive',
};

/** Shows the annotations of a tool or action as badges. */
export function Hints({ hints }: { readonly hints: ListedHints | undefined }) {
  const risk = riskOf(hints);
  return (
    <>
      {risk !== undefined && <Badge kind={risk}>{riskNames[risk]}</Badge>}
      {hints?.idempotent === true && risk !== 'read' && <Badge>idempotent</Badge>}
      {hints?.openWorld === true && <Badge>open world</Badge>}
    </>
  );
}

export function Scopes({ scopes }: { readonly scopes: readonly string[] }) {
  return (
    <>
      {scopes.map((scope) => (
        <Badge key={scope} kind="outline" title="Needs this scope">
          <Icon name="lock" size={12} />
          <bdi class="mono">{visibleText(scope)}</bdi>
        </Badge>
      ))}
    </>
  );
}

const findingKinds = { error: 'error', warning: 'warning', note: 'plain' } as const;

/** Shows the number of findings per severity. Renders nothing for an item without findings. */
export function FindingBadges({ counts }: { readonly counts: FindingCounts }) {
  return (
    <>
      {(['error', 'warning', 'note'] as const)
        .filter((severity) => counts[severity] > 0)
        .map((severity) => (
          <Badge key={severity} kind={findingKinds[severity]}>
            {`${counts[severity]} ${severity}${counts[severity] === 1 ? '' : 's'}`}
          </Badge>
        ))}
    </>
  );
}
