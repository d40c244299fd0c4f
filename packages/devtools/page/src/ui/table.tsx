import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { classOf } from './button.js';
import { Icon } from './icons.js';

export interface Column<T> {
  readonly key: string;
  readonly title: string;
  readonly render: (row: T) => ComponentChildren;
  /** Makes the column sortable. */
  readonly sort?: ((row: T) => string | number) | undefined;
  readonly isNumber?: boolean | undefined;
  /** Whether the cell is the header of its row. */
  readonly isHead?: boolean | undefined;
}

interface TableProps<T> {
  /** Describes the content of the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly initialSort?: { readonly key: string; readonly isDescending: boolean } | undefined;
}

/** A table for up to a few hundred rows. */
export function Table<T>({ caption, columns, rows, keyOf, initialSort }: TableProps<T>) {
  const [order, setOrder] = useState(initialSort);
  const by = columns.find(({ key }) => key === order?.key)?.sort;
  const sorted = by === undefined ? rows : sortRows(rows, by, order?.isDescending ?? false);
  const press = ({ key, isNumber }: Column<T>) =>
    setOrder(
      order?.key === key
        ? { key, isDescending: !order.isDescending }
        : { key, isDescending: isNumber === true },
    );
  return (
    // Focusable, so that a table wider than its container can be scrolled with the keyboard.
    <div class="table-scroll" role="region" aria-label={caption} tabIndex={0}>
      <table class="table">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                class={classOf(column.isNumber === true && 'number')}
                aria-sort={
                  order?.key === column.key ? (order.isDescending ? 'descending' : 'ascending') : undefined
                }
              >
                {column.sort === undefined ? (
                  column.title
                ) : (
                  <button type="button" class="sort-button" onClick={() => press(column)}>
                    {column.title}
                    {order?.key === column.key && (
                      <Icon name={order.isDescending ? 'down' : 'up'} size={12} />
                    )}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) =>
                column.isHead === true ? (
                  <th key={column.key} scope="row">
                    {column.render(row)}
                  </th>
                ) : (
                  <td key={column.key} class={classOf(column.isNumber === true && 'number')}>
                    {column.render(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function sortRows<T>(
  rows: readonly T[],
  by: (row: T) => string | number,
  isDescending: boolean,
): readonly T[] {
  const sign = isDescending ? -1 : 1;
  return rows
    .map((row) => ({ row, value: by(row) }))
    .toSorted((one, other) => sign * (one.value < other.value ? -1 : one.value > other.value ? 1 : 0))
    .map(({ row }) => row);
}
