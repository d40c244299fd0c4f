import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { classOf } from '../button.js';
import { CopyButton } from '../copy.js';
import { countOf } from '../figures.js';
import { Icon } from '../icons.js';
import { visibleText } from '../text.js';
import { ExactNumber, writeJson } from './exact-number.js';
import { ENTRIES, jsonRows } from './json-rows.js';
import type { JsonRow, JsonState, JsonValueRow } from './json-rows.js';

interface JsonViewProps {
  readonly value: unknown;
  /** Describes the value for screen readers. */
  readonly label: string;
  /** Levels that are open at first. Default: 2. */
  readonly openDepth?: number | undefined;
}

const MAX_STRING = 2000;

/** Shows a JSON value as a collapsible tree. Long lists and texts are cut; the copy button copies everything. */
export function JsonView({ value, label, openDepth = 2 }: JsonViewProps) {
  const id = useId();
  const tree = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<JsonState>({ decided: new Map(), shown: new Map() });
  const [active, setActive] = useState('');
  const rows = useMemo(() => jsonRows(value, state, openDepth), [value, state, openDepth]);
  const at = Math.max(
    rows.findIndex((row) => row.id === active),
    0,
  );
  const focus = (index: number) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (!row) return;
    setActive(row.id);
    tree.current?.querySelectorAll<HTMLElement>('[role=treeitem]')[rows.indexOf(row)]?.focus();
  };
  const open = (row: JsonRow, isOpen: boolean) =>
    setState(({ decided, shown }) =>
      row.kind === 'more'
        ? { decided, shown: new Map(shown).set(row.parent, (shown.get(row.parent) ?? ENTRIES) + ENTRIES) }
        : { decided: new Map(decided).set(row.id, isOpen), shown },
    );
  const toggle = (row: JsonRow) => {
    if (row.kind === 'more' || (row.size ?? 0) > 0) open(row, row.kind === 'more' || !row.isExpanded);
  };
  const moveToParent = (row: JsonRow) => {
    for (let index = at - 1; index >= 0; index--)
      if ((rows[index]?.depth ?? 0) < row.depth) return focus(index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const isExpanded = row.kind === 'value' && row.isExpanded;
    if (event.key === 'ArrowDown') focus(at + 1);
    else if (event.key === 'ArrowUp') focus(at - 1);
    else if (event.key === 'Home') focus(0);
    else if (event.key === 'End') focus(rows.length - 1);
    else if (event.key === 'ArrowRight') {
      if (isExpanded) focus(at + 1);
      else if (row.kind === 'value' && (row.size ?? 0) > 0) open(row, true);
    } else if (event.key === 'ArrowLeft') {
      if (isExpanded) open(row, false);
      else moveToParent(row);
    } else if (event.key === 'Enter' || event.key === ' ') toggle(row);
    else return;
    event.preventDefault();
  };
  return (
    <div class="json">
      <div class="json-tools">
        <CopyButton label={`Copy ${label}`} value={() => writeJson(value, 2)} />
      </div>
      <div ref={tree} id={id} role="tree" aria-label={label} onKeyDown={onKeyDown}>
        {rows.map((row, index) => (
          <div
            key={row.id}
            class="json-row"
            role="treeitem"
            tabIndex={index === at ? 0 : -1}
            aria-level={row.depth + 1}
            aria-expanded={row.kind === 'value' && (row.size ?? 0) > 0 ? row.isExpanded : undefined}
            aria-selected={index === at}
            aria-setsize={row.kind === 'value' ? row.siblings : undefined}
            aria-posinset={row.kind === 'value' ? row.position : undefined}
            style={{ paddingLeft: `${row.depth * 1.1}em` }}
            onFocus={() => setActive(row.id)}
            onClick={() => toggle(row)}
          >
            <span class="json-twist">
              {row.kind === 'value' && (row.size ?? 0) > 0 && <Icon name="chevron" size={11} />}
            </span>
            {row.kind === 'more' ? (
              <span class="faint">{countOf(row.left, 'more entry', 'more entries')}</span>
            ) : (
              <JsonLine row={row} />
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

function JsonLine({ row }: { readonly row: JsonValueRow }) {
  return (
    <>
      {row.key !== undefined && (
        <span class="json-key">
          <bdi>{visibleText(row.key)}</bdi>
          <span class="faint">:</span>
        </span>
      )}
      <JsonScalar row={row} />
    </>
  );
}

function JsonScalar({ row: { value, size, isExpanded } }: { readonly row: JsonValueRow }) {
  if (size !== undefined) {
    const [start, end] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    const noun = Array.isArray(value) ? countOf(size, 'item') : countOf(size, 'key');
    return (
      <span class="faint">{size === 0 ? start + end : isExpanded ? start : `${start} ${noun} ${end}`}</span>
    );
  }
  if (typeof value === 'string') {
    const isCut = value.length > MAX_STRING;
    return (
      <span class="json-string">
        "<bdi>{visibleText(isCut ? value.slice(0, MAX_STRING) : value)}</bdi>"
        {isCut && <span class="faint"> {countOf(value.length - MAX_STRING, 'more character')}</span>}
      </span>
    );
  }
  const isNumber = typeof value === 'number' || value instanceof ExactNumber;
  return (
    <span class={classOf(isNumber ? 'json-number' : 'json-literal')}>
      {String(value).slice(0, MAX_STRING)}
    </span>
  );
}
