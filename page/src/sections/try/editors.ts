import { signal } from '@preact/signals';
import type { Editor } from './form/editor.js';

const KEY = 'toolfold-forms';
const MAX_EDITORS = 100;
/** Characters of all forms together that survive a reload. Browsers keep about five million for a tab. */
const MAX_CHARACTERS = 1_000_000;

/** The forms that were filled in, by address, so that they are still there when the section is opened or the page is loaded again. */
export const editors = signal<ReadonlyMap<string, Editor>>(read());

export function setEditor(address: string, editor: Editor): void {
  const others = [...editors.value].filter(([key]) => key !== address);
  editors.value = new Map([...others.slice(1 - MAX_EDITORS), [address, editor]]);
}

function read(): ReadonlyMap<string, Editor> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as [string, Editor][]);
  } catch {
    // A browser without storage.
    return new Map();
  }
}

addEventListener('pagehide', () => {
  let left = MAX_CHARACTERS;
  const kept = [...editors.value].toReversed().filter((entry) => (left -= JSON.stringify(entry).length) >= 0);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept.toReversed()));
  } catch {
    // The storage is full or forbidden.
  }
});
