import type { ViewReport } from '../../../../src/page-api.js';

/** A row of the list of hidden actions: a reason, or an address with this reason. */
type HiddenRow =
  | { readonly kind: 'reason'; readonly reason: string; readonly count: number }
  | { readonly kind: 'address'; readonly address: string; readonly others: readonly string[] };

/** Groups hidden actions by their first reason, the most frequent one first. */
export function hiddenRows(hidden: ViewReport['hidden']): readonly HiddenRow[] {
  const groups = new Map<string, ViewReport['hidden'][number][]>();
  for (const item of hidden) {
    const reason = item.reasons[0] ?? 'The server gives no reason.';
    const known = groups.get(reason);
    if (known) known.push(item);
    else groups.set(reason, [item]);
  }
  return [...groups]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .flatMap(([reason, items]): HiddenRow[] => [
      { kind: 'reason', reason, count: items.length },
      ...items.map(({ address, reasons }): HiddenRow => ({
        kind: 'address',
        address,
        others: reasons.slice(1),
      })),
    ]);
}
