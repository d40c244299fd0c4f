import { signal } from '@preact/signals';
import type { Call } from '../../mcp/call.js';
import type { Endpoint, Era } from '../../mcp/endpoint.js';
import { startCall } from '../../mcp/send-call.js';
import { perspective } from '../../perspective.js';
import { announce } from '../../ui/toast.js';
import type { CopiedCall } from '../try/copy/copied-call.js';
import { chosenForm, options } from '../try/run/runs.js';

type Fields = Readonly<Record<string, unknown>>;

/** The last calls of each item: one, or one in each era. */
export const itemCalls = signal<ReadonlyMap<string, readonly Call[]>>(new Map());
const MAX_CALLS = 30;

export function endpointFor(era: Era): Endpoint {
  const { form, profile } = chosenForm();
  return { form, profile, era, caller: perspective.value.caller };
}

export function firstEra(): Era {
  return options.value.era === '2025' ? '2025' : '2026';
}

/** Gets a prompt or reads a resource in the chosen eras. */
export function callItem(rest: string, method: 'prompts/get' | 'resources/read', params: Fields): void {
  const { era, timeoutS } = options.value;
  const eras: readonly Era[] = era === 'both' ? ['2026', '2025'] : [era];
  const calls = eras.map((each) => {
    const call = startCall({
      endpoint: endpointFor(each),
      method,
      params,
      timeoutMs: timeoutS * 1000,
      asker: String(params['name'] ?? params['uri']),
    });
    void call.ended.then(() => announce(`The server has answered: ${call.status.peek()}`));
    return call;
  });
  const kept = [...itemCalls.value].filter(([key]) => key !== rest).slice(1 - MAX_CALLS);
  itemCalls.value = new Map([...kept, [rest, calls]]);
}

/** Describes the request for the buttons that copy it. */
export function copiedItem(method: 'prompts/get' | 'resources/read', params: Fields): CopiedCall {
  const { form, profile, era, caller } = endpointFor(firstEra());
  return {
    address: String(params['name'] ?? params['uri']),
    input: {},
    method,
    params,
    form,
    profile,
    era,
    caller,
    origin: location.origin,
  };
}
