import { signal } from '@preact/signals';
import type { Editor } from './form/editor.js';

const KEY = 'toolfold-forms';
const MAX_EDITORS = 100;
/** Maximum number of characters of all forms that survive a reload. Browsers store about five million per tab. */
const MAX_CHARACTERS = 1_000_000;

/** Filled-in forms by address. They survive a change of section and a reload. */
export const editors = signal<ReadonlyMap<string, Editor>>(read());

export function setEditor(address: string, editor: Editor): void {
  const others = [...editors.value].filter(([key]) => key !== address);
  editors.value = new Map([...others.slice(1 - MAX_EDITORS), [address, editor]]);
}

function read(): ReadonlyMap<string, Editor> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as [string, Editor][]);
  } catch {
    // Storage is blocked, or its content is not valid.
    return new Map();
  }
}

addEventListener('pagehide', () => {
  let left = MAX_CHARACTERS;
  const kept = [...editors.value].toReversed().filter((entry) => (left -= JSON.stringify(entry).length) >= 0);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept.toReversed()));
  } catch {
    // Storage is full or blocked. The forms still survive a change of section.
  }
});
