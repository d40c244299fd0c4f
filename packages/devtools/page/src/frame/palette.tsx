import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { server, tree } from '../api/stores.js';
import { goTo, sections } from '../routes.js';
import { Dialog } from '../ui/dialog.js';
import { countOf } from '../ui/figures.js';
import { Icon } from '../ui/icons.js';
import { Name, visibleText } from '../ui/text.js';
import { closeOverlay } from './overlay.js';
import { findEntries, paletteEntries } from './palette-search.js';
import type { PaletteEntry } from './palette-search.js';

const MAX_SHOWN = 50;

function openEntry(entry: PaletteEntry, isTry: boolean): void {
  closeOverlay();
  if (entry.kind === 'section') goTo(entry.key);
  else goTo(isTry ? 'try' : 'surface', entry.address);
}

/** Finds tools, actions and sections with a combobox. */
export function Palette() {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const nodes = tree.value?.nodes;
  const entries = useMemo(() => paletteEntries(nodes ?? [], sections), [nodes]);
  const all = useMemo(() => findEntries(entries, query), [entries, query]);
  const found = useMemo(() => all.slice(0, MAX_SHOWN), [all]);
  const index = Math.min(at, found.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [index, found]);
  const onKeyDown = (event: KeyboardEvent) => {
    const entry = found[index];
    if (event.key === 'ArrowDown') setAt(found.length === 0 ? 0 : (index + 1) % found.length);
    else if (event.key === 'ArrowUp')
      setAt(found.length === 0 ? 0 : (index - 1 + found.length) % found.length);
    else if (event.key === 'Enter' && entry) openEntry(entry, event.shiftKey);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Find tools and sections" class="palette" isBare onClose={closeOverlay}>
      <div class="palette-input">
        <Icon name="search" />
        <input
          autofocus
          role="combobox"
          aria-label="Tool, action or section"
          aria-expanded={found.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={found.length > 0 ? `${id}-${index}` : undefined}
          placeholder="Tool, action or section"
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={({ currentTarget }) => {
            setQuery(currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd>Esc</kbd>
      </div>
      <div ref={list} id={`${id}-list`} class="palette-list" role="listbox" aria-label="Hits">
        {found.map((entry, each) => (
          <div
            key={entry.kind === 'section' ? `section ${entry.key}` : entry.address}
            id={`${id}-${each}`}
            class="palette-option"
            role="option"
            aria-selected={each === index}
            onPointerMove={() => setAt(each)}
            onClick={() => openEntry(entry, false)}
          >
            <Option entry={entry} />
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="empty">Nothing has this in its address or description.</p>}
      <div class="palette-foot">
        <span role="status">
          {all.length > found.length && `The first ${found.length} of `}
          {query === '' ? countOf(all.length, 'entry', 'entries') : countOf(all.length, 'hit')}
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        {server.value?.canCall === true && (
          <span>
            <kbd>Shift Enter</kbd> try
          </span>
        )}
      </div>
    </Dialog>
  );
}

function Option({ entry }: { readonly entry: PaletteEntry }) {
  if (entry.kind === 'section')
    return (
      <>
        <Icon name={entry.key} />
        <span class="palette-text">{entry.title}</span>
        <span class="faint small">section</span>
      </>
    );
  return (
    <>
      <Icon name={entry.kind === 'tool' ? 'surface' : 'chevron'} />
      <div class="palette-text">
        <div class="truncate">
          <Name value={entry.address} />
        </div>
        {entry.description !== '' && (
          <div class="truncate soft small">
            <bdi>{visibleText(entry.description)}</bdi>
          </div>
        )}
      </div>
      {server.value?.canCall === true && (
        // Mouse only, because the keyboard has Shift Enter.
        <span
          class="button button-small"
          onClick={(event) => {
            event.stopPropagation();
            openEntry(entry, true);
          }}
        >
          Try
        </span>
      )}
    </>
  );
}
