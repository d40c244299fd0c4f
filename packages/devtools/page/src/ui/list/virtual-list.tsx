import type { ComponentChildren, Ref } from 'preact';
import { useImperativeHandle, useRef } from 'preact/hooks';
import { classOf } from '../button.js';
import { useVirtualizer } from './use-virtualizer.js';

interface VirtualListHandle {
  scrollTo(index: number): void;
}

interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  /** The height of a row in pixels, or an estimate of it. */
  readonly rowHeight: number;
  /** Whether rows have different heights, which are then measured. */
  readonly isMeasured?: boolean | undefined;
  readonly keyOf?: ((index: number) => string | number) | undefined;
  readonly class?: string | undefined;
  readonly handle?: Ref<VirtualListHandle> | undefined;
  readonly children: (index: number) => ComponentChildren;
}

/**
 * A list of any length. It renders only the rows near the visible part, and tells screen readers the position of each.
 */
export function VirtualList(props: VirtualListProps) {
  const { label, count, rowHeight, isMeasured, keyOf, class: name, handle, children } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({ count, scroller, rowHeight, keyOf });
  useImperativeHandle(handle ?? null, () => ({
    scrollTo: (index: number) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  }));
  return (
    <div ref={scroller} class={classOf('virtual', name)} role="list" aria-label={label} tabIndex={0}>
      <div class="virtual-space" role="presentation" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {virtualizer.getVirtualItems().map(({ key, index, start }) => (
          <div
            key={String(key)}
            ref={isMeasured === true ? virtualizer.measureElement : null}
            data-index={index}
            class="virtual-row"
            role="listitem"
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start}px)` }}
          >
            {children(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
