import { useMemo, useRef, useState } from 'preact/hooks';
import { Button, Segments } from '../../../ui/button.js';
import { CodeBlock } from '../../../ui/copy.js';
import { Icon } from '../../../ui/icons.js';
import { countOf, formatCount } from '../../../ui/figures.js';
import { ExactNumber, writeJson } from '../../../ui/json/exact-number.js';
import { JsonView } from '../../../ui/json/json-view.js';
import { useVirtualizer } from '../../../ui/list/use-virtualizer.js';
import { visibleText } from '../../../ui/text.js';
import { sortRows, tableOf } from './result-parts.js';
import type { TableData } from './result-parts.js';

type Mode = 'tree' | 'table' | 'text';

/** Data as a tree, as a table if it is a list of flat objects, or as text. */
export function DataView({
  value,
  label,
  text,
}: {
  readonly value: unknown;
  readonly label: string;
  readonly text?: string | undefined;
}) {
  const table = useMemo(() => tableOf(value), [value]);
  const [wanted, setMode] = useState<Mode>();
  const mode = wanted ?? (table ? 'table' : 'tree');
  const options: { readonly value: Mode; readonly label: string }[] = [
    ...(table ? [{ value: 'table' as const, label: 'Table' }] : []),
    { value: 'tree', label: 'Tree' },
    { value: 'text', label: 'Text' },
  ];
  return (
    <div class="stack">
      <div class="row row-between">
        <span class="soft small">{label}</span>
        <Segments label={`Show ${label} as`} value={mode} options={options} onChange={setMode} />
      </div>
      {mode === 'table' && table ? (
        <DataTable table={table} label={label} />
      ) : mode === 'text' ? (
        <CodeBlock value={text ?? writeJson(value, 2)} label={label} />
      ) : (
        <JsonView value={value} label={label} />
      )}
    </div>
  );
}

const ROW_HEIGHT = 30;
/** Columns that are drawn at first. More of them make scrolling slow. */
const FIRST_COLUMNS = 40;
const MAX_CELL = 300;

/** A table of any length. Only the rows near the visible part exist. */
function DataTable({ table, label }: { readonly table: TableData; readonly label: string }) {
  const [order, setOrder] = useState<{ readonly column: string; readonly isDescending: boolean }>();
  const rows = useMemo(
    () => sortRows(table.rows, order?.column, order?.isDescending ?? false),
    [table, order],
  );
  const [hasAll, setAll] = useState(false);
  const columns = hasAll ? table.columns : table.columns.slice(0, FIRST_COLUMNS);
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({ count: rows.length, scroller, rowHeight: ROW_HEIGHT });
  const items = virtualizer.getVirtualItems();
  const [first] = items;
  const before = first?.start ?? 0;
  const after = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <>
      <div class="try-table" ref={scroller} tabIndex={0} role="region" aria-label={`Table of ${label}`}>
        <table class="table" aria-rowcount={rows.length + 1} aria-colcount={table.columns.length}>
          <caption class="visually-hidden">
            {label}, {countOf(rows.length, 'row')}
          </caption>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column) => (
                <th
                  key={column}
                  scope="col"
                  class={isNumber(rows[0]?.[column]) ? 'number' : undefined}
                  aria-sort={
                    order?.column === column ? (order.isDescending ? 'descending' : 'ascending') : undefined
                  }
                >
                  <button
                    type="button"
                    class="sort-button"
                    onClick={() =>
                      setOrder({ column, isDescending: order?.column === column && !order.isDescending })
                    }
                  >
                    <bdi>{visibleText(column)}</bdi>
                    {order?.column === column && <Icon name={order.isDescending ? 'down' : 'up'} size={12} />}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {before > 0 && <tr class="try-space" style={{ height: `${before}px` }} aria-hidden="true" />}
            {items.map(({ index }) => (
              <tr key={index} aria-rowindex={index + 2}>
                {columns.map((column) => (
                  <Cell key={column} value={rows[index]?.[column]} />
                ))}
              </tr>
            ))}
            {after > 0 && <tr class="try-space" style={{ height: `${after}px` }} aria-hidden="true" />}
          </tbody>
        </table>
      </div>
      <div class="row">
        <span class="soft small">{countOf(rows.length, 'row')}</span>
        {table.columns.length > FIRST_COLUMNS && (
          <Button isSmall onClick={() => setAll(!hasAll)}>
            {hasAll
              ? `Show the first ${FIRST_COLUMNS} columns`
              : `Show all ${formatCount(table.columns.length)} columns`}
          </Button>
        )}
      </div>
    </>
  );
}

function Cell({ value }: { readonly value: unknown }) {
  if (value === undefined) return <td class="faint">–</td>;
  const text = typeof value === 'string' ? value : String(value);
  return (
    <td
      class={isNumber(value) ? 'number' : undefined}
      title={text.length > 40 ? text.slice(0, 2_000) : undefined}
    >
      <bdi class="try-cell">{visibleText(text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text)}</bdi>
    </td>
  );
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value instanceof ExactNumber;
}
