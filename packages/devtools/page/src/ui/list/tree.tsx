import type { ComponentChildren } from 'preact';
import type { Signal } from '@preact/signals';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { classOf } from '../button.js';
import { Icon } from '../icons.js';
import { ancestorsOf, visibleRows } from './tree-model.js';
import type { FlatNode, TreeRow } from './tree-model.js';
import { useVirtualizer } from './use-virtualizer.js';

/** The nodes that the user opened or closed, by mode. The caller keeps them while the tree is not shown. */
export type TreeDecisions = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

interface TreeProps<T extends FlatNode> {
  readonly label: string;
  readonly nodes: readonly T[];
  readonly selected?: string | undefined;
  readonly onSelect: (node: T) => void;
  /** Renders the content of a row, next to its expand arrow. */
  readonly render: (node: T) => ComponentChildren;
  /** Returns the text that type-ahead search matches. */
  readonly textOf: (node: T) => string;
  /** Whether a node is expanded until the user decides otherwise. */
  readonly isOpen: (node: T) => boolean;
  /** Nodes that cannot be selected expand and collapse instead. */
  readonly isSelectable?: ((node: T) => boolean) | undefined;
  /** Each mode has its own decisions about open nodes, such as one for the whole tree and one for the hits of a search. */
  readonly mode?: string | undefined;
  readonly decisions: Signal<TreeDecisions>;
  readonly rowHeight?: number | undefined;
}

const TYPING_MS = 600;
const undecided: ReadonlyMap<string, boolean> = new Map();

/** A tree of any size, as the tree view pattern of WAI-ARIA describes it. The tree has the focus, and refers to its active row. */
export function Tree<T extends FlatNode>(props: TreeProps<T>) {
  const {
    label,
    nodes,
    selected,
    onSelect,
    render,
    textOf,
    isOpen,
    isSelectable,
    mode = '',
    decisions,
    rowHeight = 30,
  } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const decided = decisions.value.get(mode) ?? undecided;
  const decide = (entries: Iterable<readonly [string, boolean]>) => {
    const before = decisions.peek();
    decisions.value = new Map(before).set(mode, new Map([...(before.get(mode) ?? []), ...entries]));
  };
  const [active, setActive] = useState<string>();
  const revealed = useRef<string>(undefined);
  const typed = useRef({ text: '', at: 0 });
  const rows = useMemo(
    () => visibleRows(nodes, (node) => decided.get(node.id) ?? isOpen(node)),
    [nodes, decided, isOpen],
  );
  const found = rows.findIndex(({ node }) => node.id === active);
  const at = Math.max(found, 0);
  const virtualizer = useVirtualizer({
    count: rows.length,
    scroller,
    rowHeight,
    keyOf: (index) => rows[index]?.node.id ?? index,
  });

  const latest = useRef({ rows, virtualizer });
  latest.current = { rows, virtualizer };
  const reveal = (row: number) => virtualizer.scrollToIndex(row, { align: 'auto' });
  // Scroll to a node that was selected elsewhere, such as through a link.
  useEffect(() => {
    if (selected === revealed.current) return;
    const index = nodes.findIndex((node) => node.id === selected);
    if (index === -1) return;
    revealed.current = selected;
    setActive(selected);
    const above = ancestorsOf(nodes, index);
    decide(above.map((each) => [each, true] as const));
  }, [selected, nodes]);
  useEffect(() => {
    const row = latest.current.rows.findIndex(({ node }) => node.id === active);
    if (row !== -1) latest.current.virtualizer.scrollToIndex(row, { align: 'auto' });
  }, [active, rows.length]);

  const move = (index: number) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (!row) return;
    setActive(row.node.id);
    reveal(rows.indexOf(row));
  };
  const toggle = ({ node }: TreeRow<T>, isExpanded: boolean) => decide([[node.id, isExpanded]]);
  const select = (row: TreeRow<T>) => {
    if (isSelectable?.(row.node) === false) toggle(row, !row.isExpanded);
    else onSelect(row.node);
  };
  const moveToParent = (row: TreeRow<T>) => {
    for (let index = at - 1; index >= 0; index--)
      if ((rows[index]?.node.depth ?? 0) < row.node.depth) return move(index);
  };
  const type = (key: string, time: number) => {
    const text = time - typed.current.at > TYPING_MS ? key : typed.current.text + key;
    typed.current = { text, at: time };
    const start = text.length === 1 ? at + 1 : at;
    for (let step = 0; step < rows.length; step++) {
      const index = (start + step) % rows.length;
      const row = rows[index];
      if (row && textOf(row.node).toLowerCase().startsWith(text.toLowerCase())) return move(index);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    const page = Math.max(Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1, 1);
    if (key === 'ArrowDown') move(found === -1 ? 0 : at + 1);
    else if (key === 'ArrowUp') move(at - 1);
    else if (key === 'Home') move(0);
    else if (key === 'End') move(rows.length - 1);
    else if (key === 'PageDown') move(at + page);
    else if (key === 'PageUp') move(at - page);
    else if (key === 'ArrowRight') {
      if (row.node.size === 0) return;
      if (row.isExpanded) move(at + 1);
      else toggle(row, true);
    } else if (key === 'ArrowLeft') {
      if (row.isExpanded) toggle(row, false);
      else moveToParent(row);
    } else if (key === 'Enter' || key === ' ') {
      select(row);
    } else if (key === '*') {
      const siblings = rows.filter(({ node }) => node.depth === row.node.depth && node.size > 0);
      decide(siblings.map(({ node }) => [node.id, true] as const));
    } else if (key.length === 1 && key !== '/' && key !== '?') type(key, event.timeStamp);
    else return;
    event.preventDefault();
  };

  const items = virtualizer.getVirtualItems();
  const isRendered = items.some(({ index }) => index === at);
  return (
    <div
      ref={scroller}
      class="virtual"
      role="tree"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={isRendered && rows.length > 0 ? `${id}-${at}` : undefined}
      onKeyDown={onKeyDown}
      onFocus={() => found === -1 && move(0)}
    >
      <div class="virtual-space" role="presentation" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          const { node, isExpanded, position, siblings } = row;
          return (
            <div
              key={node.id}
              id={`${id}-${index}`}
              class={classOf('virtual-row tree-row', index === at && 'is-active')}
              role="treeitem"
              aria-level={node.depth + 1}
              aria-setsize={siblings}
              aria-posinset={position}
              aria-expanded={node.size > 0 ? isExpanded : undefined}
              aria-selected={node.id === selected}
              style={{ transform: `translateY(${start}px)`, paddingLeft: `${8 + node.depth * 16}px` }}
              onClick={() => {
                setActive(node.id);
                select(row);
              }}
            >
              <span
                class="tree-twist"
                onClick={(event) => {
                  if (node.size === 0) return;
                  event.stopPropagation();
                  setActive(node.id);
                  toggle(row, !isExpanded);
                }}
              >
                {node.size > 0 && <Icon name="chevron" size={12} />}
              </span>
              {render(node)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
