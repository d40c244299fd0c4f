import { useMemo } from 'preact/hooks';
import { Meter } from '../../ui/feedback.js';
import { formatCount, formatShare } from '../../ui/figures.js';
import { Icon } from '../../ui/icons.js';
import { VirtualList } from '../../ui/list/virtual-list.js';
import { Name, visibleText } from '../../ui/text.js';
import type { CostItem } from './cost-model.js';
import { partsOf } from './cost-parts.js';

interface CostBarsProps {
  readonly item: CostItem;
  readonly linkOf: (item: CostItem) => string | undefined;
}

const ROW = 44;

/** Shows the parts of an item as bars, the longest first. */
export function CostBars({ item, linkOf }: CostBarsProps) {
  const rows = useMemo(() => item.children.toSorted((one, other) => other.tokens - one.tokens), [item]);
  const max = rows[0]?.tokens ?? 0;
  return (
    <div class="cost-bars" style={{ height: `${Math.min(rows.length * ROW + 2, 560)}px` }}>
      <VirtualList label="Tokens as bars" count={rows.length} rowHeight={ROW}>
        {(index) => {
          const row = rows[index];
          if (!row) return null;
          const link = linkOf(row);
          return (
            <div class="cost-bar">
              <span class="cost-bar-name truncate">
                {link === undefined ? (
                  <span class="soft">{visibleText(row.name)}</span>
                ) : (
                  <a href={link}>
                    <Name value={row.name} />
                  </a>
                )}
              </span>
              <Meter
                label={`Tokens of ${row.name}`}
                max={max}
                parts={row.parts ? partsOf(row.parts) : [{ label: 'tokens', value: row.tokens }]}
              />
              <span class="number">{formatCount(row.tokens)}</span>
              <span class="number faint">{formatShare(row.tokens, item.tokens)}</span>
              <span class="faint">{row.children.length > 0 && <Icon name="chevron" size={12} />}</span>
            </div>
          );
        }}
      </VirtualList>
    </div>
  );
}
