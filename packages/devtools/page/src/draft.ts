import { signal } from '@preact/signals';
import { goTo } from './routes.js';

/** A call that another section passes to Try, such as an earlier call from Live. */
export interface Draft {
  readonly address: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The call that Try shows next. Try fills its form and resets the signal to `undefined`. */
export const draft = signal<Draft | undefined>(undefined);

/** Opens Try with the given arguments. */
export function tryWith(address: string, args: Readonly<Record<string, unknown>>): void {
  draft.value = { address, arguments: args };
  goTo('try', address);
}
