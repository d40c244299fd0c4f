import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useState } from 'preact/hooks';

interface VirtualizerSettings {
  readonly count: number;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly rowHeight: number | ((index: number) => number);
  readonly keyOf?: ((index: number) => string | number) | undefined;
  readonly overscan?: number | undefined;
}

/**
 * Returns the rows of a long list that are near the visible part. Pass `measureElement` as `ref` of rows without a
 * fixed height.
 */
export function useVirtualizer(settings: VirtualizerSettings): Virtualizer<HTMLElement, HTMLElement> {
  const { count, scroller, rowHeight, keyOf, overscan = 8 } = settings;
  const [, render] = useReducer((renders: number) => renders + 1, 0);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: typeof rowHeight === 'number' ? () => rowHeight : rowHeight,
    ...(keyOf === undefined ? {} : { getItemKey: keyOf }),
    overscan,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => render(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  // The official adapters of TanStack Virtual call these two methods in the same way.
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
