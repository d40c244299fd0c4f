import type { Path } from '../form/check-draft.js';
import { keyOf } from './control.js';

/** Focuses the control at a path. Falls back to the nearest parent, because a nested value may be edited as JSON. */
export function focusPath(form: HTMLElement, path: Path): void {
  const frames = [...form.querySelectorAll<HTMLElement>('[data-path]')];
  for (let length = path.length; length >= 0; length--) {
    const key = keyOf(path.slice(0, length));
    const frame = frames.find((each) => each.dataset['path'] === key);
    if (frame) return focusFirst(frame);
  }
  focusFirst(form);
}

/** Focuses the first control inside an element. A group without controls ends with a button that adds one. */
export function focusFirst(element: Element | null | undefined): void {
  const control = element?.querySelector<HTMLElement>('input:enabled, textarea:enabled, select:enabled');
  (control ?? [...(element?.querySelectorAll('button') ?? [])].at(-1))?.focus();
}

/** Focuses the first control with a problem. */
export function focusInvalid(form: HTMLElement): void {
  const invalid = form.querySelector<HTMLElement>('[aria-invalid=true]');
  if (invalid && invalid.tagName !== 'FIELDSET') invalid.focus();
  else focusFirst(invalid ?? form);
}
