import { signal } from '@preact/signals';
import type { Editor } from './form/editor.js';

/** The forms that were filled in, by address, so that they are still there when the section is opened again. */
export const editors = signal<ReadonlyMap<string, Editor>>(new Map());

const MAX_EDITORS = 100;

export function setEditor(address: string, editor: Editor): void {
  const others = [...editors.value].filter(([key]) => key !== address);
  editors.value = new Map([...others.slice(1 - MAX_EDITORS), [address, editor]]);
}
