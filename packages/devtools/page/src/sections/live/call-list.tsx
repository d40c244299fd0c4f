import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { LiveCall } from '../../../../src/page-events.js';
import { classOf } from '../../ui/button.js';
import { CallRow } from './call-row.js';

/** Number of rows that are rendered above and below the visible ones. */
const EXTRA = 6;
const PAGE = 10;

interface CallListProps {
  readonly calls: readonly LiveCall[];
  readonly selected: LiveCall | undefined;
  readonly onSelect: (call: LiveCall) => void;
  /** Called when the list is scrolled away from its top, or back to it. */
  readonly onAway: (isAway: boolean) => void;
}

/** Lists calls, the newest first. Renders only the visible rows; all rows have the same height. */
export function CallList({ calls, selected, onSelect, onAway }: CallListProps) {
  const element = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600, row: 30 });
  const measure = () => {
    const list = element.current;
    if (!list) return;
    const row = Number.parseFloat(getComputedStyle(list).getPropertyValue('--call-height')) || 30;
    const next = { top: list.scrollTop, height: list.clientHeight, row };
    setView((before) =>
      before.top === next.top && before.height === next.height && before.row === next.row ? before : next,
    );
    onAway(next.top > row / 2);
  };
  useEffect(() => {
    const list = element.current;
    if (!list) return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(list);
    return () => observer.disconnect();
  }, []);
  // If the list becomes shorter, the browser moves it up without a scroll event, so measure again.
  useLayoutEffect(measure, [calls.length]);

  const at = selected ? calls.findIndex(({ id }) => id === selected.id) : -1;
  const first = Math.max(0, Math.floor(view.top / view.row) - EXTRA);
  const last = Math.min(calls.length, Math.ceil((view.top + view.height) / view.row) + EXTRA);
  const move = (to: number) => {
    const next = calls[Math.max(0, Math.min(to, calls.length - 1))];
    const list = element.current;
    if (!next || !list) return;
    onSelect(next);
    const top = calls.indexOf(next) * view.row;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + view.row > list.scrollTop + list.clientHeight)
      list.scrollTop = top + view.row - list.clientHeight;
  };
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: Math.max(0, at - 1),
    PageDown: at + PAGE,
    PageUp: at - PAGE,
    Home: 0,
    End: calls.length - 1,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = steps[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(to);
  };
  return (
    <div
      ref={element}
      class="virtual live-list"
      role="listbox"
      tabIndex={0}
      aria-label="Calls, the newest first"
      aria-activedescendant={at >= first && at < last ? `call-${selected?.id}` : undefined}
      onScroll={measure}
      onKeyDown={onKeyDown}
    >
      <div class="virtual-space" role="presentation" style={{ height: `${calls.length * view.row}px` }}>
        {calls.slice(first, last).map((call, offset) => (
          <div
            key={call.id}
            id={`call-${call.id}`}
            role="option"
            aria-selected={at === first + offset}
            aria-setsize={calls.length}
            aria-posinset={first + offset + 1}
            class={classOf('virtual-row live-row', at === first + offset && 'is-active')}
            style={{ top: `${(first + offset) * view.row}px` }}
            onClick={() => onSelect(call)}
          >
            <CallRow call={call} />
          </div>
        ))}
      </div>
    </div>
  );
}
