import { signal } from '@preact/signals';

const SHOWN_MS = 3000;
const toasts = signal<readonly { readonly id: number; readonly text: string }[]>([]);
const spoken = signal('');
let last = 0;

/** Shows a short message, which screen readers read too. */
export function toast(text: string): void {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-2), { id, text }];
  announce(text);
  setTimeout(() => (toasts.value = toasts.value.filter((each) => each.id !== id)), SHOWN_MS);
}

/** Lets screen readers read a message that is visible elsewhere. */
export function announce(text: string): void {
  // Screen readers skip an unchanged message, so append a space to a repeated one.
  spoken.value = spoken.value === text ? `${text}\u00a0` : text;
}

/** Renders the toasts. Only the frame uses it. */
export function Toasts() {
  return (
    <>
      <div class="visually-hidden toasts-spoken" role="status" aria-live="polite">
        {spoken.value}
      </div>
      <div class="toasts" aria-hidden="true">
        {toasts.value.map(({ id, text }) => (
          <div key={id} class="toast">
            {text}
          </div>
        ))}
      </div>
    </>
  );
}
