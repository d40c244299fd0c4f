import { signal } from '@preact/signals';
import { goTo } from './routes.js';

/** A call that another section prepares for the section Try, such as an earlier call of the section Live. */
export interface Draft {
  readonly address: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The call that Try shows next. Try takes it, fills its form, and sets it to `undefined`. */
export const draft = signal<Draft | undefined>(undefined);

/** Opens Try with the arguments of a call. */
export function tryWith(address: string, args: Readonly<Record<string, unknown>>): void {
  draft.value = { address, arguments: args };
  goTo('try', address);
}
