import { redactorFor } from 'toolfold/internal';
import type { EndedCall, Redactor } from 'toolfold/internal';
import { isPage } from '../mcp/page-caller.js';
import type { Fault, LiveCall } from '../page-events.js';
import { frameOf } from './code-frame.js';
import { clip } from '@toolfold/schema/internal';

/** Removes the credentials that are forwarded to another server. */
export type Conceal = (text: string) => string;

const MAX_ARGUMENTS = 2_000;
const MAX_MESSAGE = 2_000;
const MAX_FAULT = 8_000;
const MAX_NAME = 200;

/** Returns the outcome in one word. */
export function outcomeOf(call: EndedCall): string {
  const { result } = call;
  const { isError, resultType } = result;
  if (isError !== true) return resultType === undefined || resultType === 'complete' ? 'ok' : resultType;
  return isCancelled(call) ? 'cancelled' : (toName(codeOf(result)) ?? 'error');
}

/** Whether a call failed. A call that its caller cancelled did not fail. */
export function isFailed(call: EndedCall): boolean {
  return call.result.isError === true && !isCancelled(call);
}

/** Whether the caller cancelled. A handler that is aborted may fail with any error. */
function isCancelled({ result, request }: EndedCall): boolean {
  return codeOf(result) === CANCELLED || (request.signal ?? request.lazySignal?.())?.aborted === true;
}

const CANCELLED = 'ErrCancelled';

function codeOf({ _meta }: EndedCall['result']): unknown {
  return (Object(_meta?.['toolfold/error']) as { code?: unknown }).code;
}

const redactors = new WeakMap<EndedCall, Redactor>();

/** Returns the redactor of a call. Cached, because creating one for hundreds of credentials takes 10 ms. */
export function redactorOf(call: EndedCall): Redactor {
  let redactor = redactors.get(call);
  if (!redactor) redactors.set(call, (redactor = redactorFor(call.request)));
  return redactor;
}

/** Returns the address of the action, or the name or URI that the client sent, without credentials. */
export function addressOf(call: EndedCall, conceal: Conceal): string {
  const { kind, address, request } = call;
  // Addresses of actions come from the author, so they hold no credentials.
  if (kind === 'tool' && address !== undefined) return toName(address) ?? '';
  return toName(address ?? request.name, cleanerOf(call, conceal)) ?? '';
}

/** Whether the page itself made the call. */
export function isOfPage({ request }: EndedCall): boolean {
  return isPage(request.caller?.auth);
}

/** Returns the trace id by which the page finds its own calls. Ignores the ids of other clients. */
function traceOf(call: EndedCall): string | undefined {
  return isOfPage(call) ? toName(call.request.meta?.['toolfold/trace']) : undefined;
}

/** Returns the message of a failed call without credentials. */
export function messageOf(call: EndedCall, conceal: Conceal): string | undefined {
  const { kind, result } = call;
  if (result.isError !== true) return undefined;
  const { message } = Object(result._meta?.['toolfold/error']) as { message?: unknown };
  const [first] = Array.isArray(result.content) ? result.content : [];
  const { text: shown } = Object(first) as { text?: unknown };
  const text = [message, shown].find((each) => typeof each === 'string') ?? '';
  // The pipeline has already redacted the results of tools. Prompts and resources throw instead of returning a result.
  return clip(conceal(kind === 'tool' ? text : redactorOf(call).text(text)), MAX_MESSAGE);
}

/** Returns the stack of an error in the author's code and the code at its place, without credentials. */
export function faultOf({ fault }: EndedCall, conceal: Conceal): Fault {
  if (!fault) return {};
  const { error, redactor } = fault;
  const clean: Conceal = (text) => conceal(redactor.text(text));
  try {
    const isError = error instanceof Error;
    const text = isError ? (error.stack ?? String(error)) : JSON.stringify(redactor.value(error));
    const frame = isError ? frameOf(error) : undefined;
    return {
      fault: clip(clean(text ?? String(error)), MAX_FAULT),
      frame: frame && { ...frame, lines: frame.lines.map(clean) },
    };
  } catch {
    return { fault: '[an error that cannot be read]' };
  }
}

export function toLiveCall(call: EndedCall, id: number, tokens: number, conceal: Conceal): LiveCall {
  const { kind, request, at, ms, steps } = call;
  const { caller, protocolVersion } = request;
  const { name, version } = Object(caller?.client) as { name?: unknown; version?: unknown };
  const clean = cleanerOf(call, conceal);
  const client = [name, version].flatMap((part) => toName(part, clean) ?? []).join(' ');
  return {
    id,
    at,
    kind: kind === 'tool' ? undefined : kind,
    address: addressOf(call, conceal),
    caller: toName(caller?.auth?.clientId, clean) ?? 'anonymous',
    client: client === '' ? undefined : client,
    protocolVersion,
    ms: round(ms),
    outcome: outcomeOf(call),
    isError: isFailed(call),
    message: messageOf(call, conceal),
    tokens,
    steps: steps.map(({ step, ms: duration }) => ({ step, ms: round(duration) })),
    arguments: argumentsOf(call, conceal),
    ...faultOf(call, conceal),
    trace: traceOf(call),
    run: toName(request.run),
  };
}

function argumentsOf(call: EndedCall, conceal: Conceal): string | undefined {
  const { arguments: given } = call.request;
  if (given === undefined) return undefined;
  try {
    const text = JSON.stringify(redactorOf(call).value(given));
    return text === undefined ? undefined : clip(conceal(text), MAX_ARGUMENTS);
  } catch {
    return undefined;
  }
}

/** Rounds milliseconds to microseconds. */
function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** Returns a function that removes all credentials from texts of the client. */
function cleanerOf(call: EndedCall, conceal: Conceal): Conceal {
  return (text) => conceal(redactorOf(call).text(text));
}

/** Shortens a name. `clean` must come first for names that a client sent, because truncation would hide credentials from it. */
function toName(value: unknown, clean?: Conceal): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return clip(clean ? clean(value) : value, MAX_NAME);
}
