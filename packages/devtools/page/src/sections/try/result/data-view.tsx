import { Fragment } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { Button, Segments } from '../../../ui/button.js';
import { CodeBlock } from '../../../ui/copy.js';
import { Icon } from '../../../ui/icons.js';
import { countOf, formatCount } from '../../../ui/figures.js';
import { ExactNumber, writeJson } from '../../../ui/json/exact-number.js';
import { JsonView } from '../../../ui/json/json-view.js';
import { useVirtualizer } from '../../../ui/list/use-virtualizer.js';
import { Name, Text, visibleText } from '../../../ui/text.js';
import { cellText, sortRows, tableOf } from './result-parts.js';
import type { TableData } from './result-parts.js';

type Mode = 'tree' | 'table' | 'text';

/** Shows data as a tree, as a table if it is a list of objects, or as text. */
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
/** Maximum number of columns at first, because more of them slow down scrolling. */
const FIRST_COLUMNS = 40;
const MAX_CELL = 300;

/** A table of any length. It renders only the rows near the visible part. */
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
      <Facts {...table} />
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

/** Maximum number of properties above a table. The tree shows all of them. */
const MAX_FACTS = 30;
const MAX_FACT = 2_000;

/** Shows the other properties of an object whose list of rows is shown as a table. */
function Facts({ property, others = [] }: TableData) {
  if (property === undefined) return null;
  return (
    <dl class="facts">
      {others.slice(0, MAX_FACTS).map(([key, value]) => (
        <Fragment key={key}>
          <dt>
            <Name value={key} />
          </dt>
          <dd>
            <Text value={cellText(value).slice(0, MAX_FACT)} clamp={3} />
          </dd>
        </Fragment>
      ))}
      <dt>
        <Name value={property} />
      </dt>
      <dd class="soft">
        {others.length > MAX_FACTS &&
          `${countOf(others.length - MAX_FACTS, 'more property', 'more properties')} under Tree, and `}
        the table below
      </dd>
    </dl>
  );
}

function Cell({ value }: { readonly value: unknown }) {
  if (value === undefined) return <td class="faint">–</td>;
  const text = cellText(value);
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
