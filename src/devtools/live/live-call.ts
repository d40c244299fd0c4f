import { redactorFor } from '../../engine/request-context.js';
import type { Redactor } from '../../guards/redact/redactor.js';
import type { EndedCall } from '../../engine/trace/call-listeners.js';
import { isPage } from '../mcp/page-caller.js';
import type { LiveCall } from '../page-events.js';
import { clip } from '../../values/nearest-name.js';

/** Removes the credentials with which calls are forwarded to another server from a text. */
export type Conceal = (text: string) => string;

const MAX_ARGUMENTS = 2_000;
const MAX_MESSAGE = 2_000;
const MAX_FAULT = 8_000;
const MAX_NAME = 200;

/** The outcome of a call in one word. */
export function outcomeOf(call: EndedCall): string {
  const { result } = call;
  const { isError, resultType } = result;
  if (isError !== true) return resultType === undefined || resultType === 'complete' ? 'ok' : resultType;
  return isCancelled(call) ? 'cancelled' : (toName(codeOf(result)) ?? 'error');
}

/** Whether a call failed. A call that its caller cancelled did not. */
export function isFailed(call: EndedCall): boolean {
  return call.result.isError === true && !isCancelled(call);
}

/** Whether the caller cancelled a call. A handler that stops for that may fail with any error. */
function isCancelled({ result, request }: EndedCall): boolean {
  return codeOf(result) === CANCELLED || (request.signal ?? request.lazySignal?.())?.aborted === true;
}

const CANCELLED = 'ErrCancelled';

function codeOf({ _meta }: EndedCall['result']): unknown {
  return (Object(_meta?.['toolfold/error']) as { code?: unknown }).code;
}

const redactors = new WeakMap<EndedCall, Redactor>();

/** The redactor of a call. Creating one for a request with hundreds of credentials takes 10 ms, so a call has one. */
export function redactorOf(call: EndedCall): Redactor {
  let redactor = redactors.get(call);
  if (!redactor) redactors.set(call, (redactor = redactorFor(call.request)));
  return redactor;
}

/** The address of the action, or the name or URI that the client sent, without credentials. */
export function addressOf(call: EndedCall, conceal: Conceal): string {
  const { kind, address, request } = call;
  // The author wrote the addresses of actions.
  if (kind === 'tool' && address !== undefined) return toName(address) ?? '';
  return toName(address ?? request.name, cleanerOf(call, conceal)) ?? '';
}

/** Whether the page made a call. */
export function isOfPage({ request }: EndedCall): boolean {
  return isPage(request.caller?.auth);
}

/** The id by which the page finds its own calls. Other clients may send any. */
function traceOf(call: EndedCall): string | undefined {
  return isOfPage(call) ? toName(call.request.meta?.['toolfold/trace']) : undefined;
}

/** The message of a failed call without credentials. */
export function messageOf(call: EndedCall, conceal: Conceal): string | undefined {
  const { kind, result } = call;
  if (result.isError !== true) return undefined;
  const { message } = Object(result._meta?.['toolfold/error']) as { message?: unknown };
  const [first] = Array.isArray(result.content) ? result.content : [];
  const { text: shown } = Object(first) as { text?: unknown };
  const text = [message, shown].find((each) => typeof each === 'string') ?? '';
  // The pipeline has redacted the results of failed tools. Prompts and resources throw instead of returning a result.
  return clip(conceal(kind === 'tool' ? text : redactorOf(call).text(text)), MAX_MESSAGE);
}

/** The stack of an error in the author's code, without credentials. */
export function faultOf({ fault }: EndedCall, conceal: Conceal): string | undefined {
  if (!fault) return undefined;
  const { error, redactor } = fault;
  try {
    const text =
      error instanceof Error ? (error.stack ?? String(error)) : JSON.stringify(redactor.value(error));
    return clip(conceal(redactor.text(text ?? String(error))), MAX_FAULT);
  } catch {
    return '[an error that cannot be read]';
  }
}

/** A call as the page shows it. */
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
    fault: faultOf(call, conceal),
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

/** Milliseconds with whole microseconds. */
function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** Removes all credentials from a text that a client chose. */
function cleanerOf(call: EndedCall, conceal: Conceal): Conceal {
  return (text) => conceal(redactorOf(call).text(text));
}

/** Shortens a name. A name that a client chose may hold credentials, which `clean` removes first. */
function toName(value: unknown, clean?: Conceal): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return clip(clean ? clean(value) : value, MAX_NAME);
}
