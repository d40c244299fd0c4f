import { describeInput, toQuestion } from '../src/form/confirm-question.js';
import type { WaitingCall } from '../src/form/paused-run.js';

export const call = (over: Partial<WaitingCall> = {}): WaitingCall => ({
  id: 1,
  path: 'payments.delete',
  address: 'payments.delete',
  input: '{"id":"p1"}',
  ...over,
});

interface Shown {
  readonly schema?: unknown;
  readonly max?: number;
}

export const describeArguments = (
  input: string | undefined,
  { schema, max = 16_000 }: Shown = {},
): readonly string[] | undefined => describeInput(input, { schema, max });

export const messageOf = (over: Partial<WaitingCall> = {}, options: Shown = {}): string => {
  const asked = call(over);
  const shown = describeArguments(asked.input, options);
  if (!shown) throw new Error('The arguments cannot be shown.');
  return String(toQuestion(asked, { index: 0, count: 1, shown }).params['message']);
};
