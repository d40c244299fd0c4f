/** Checks the answers against the expectations. */
import type { RawResponse } from '../../test/wire/raw-responses.js';
import type { Expectation, Json, Plan } from './plan.js';
import type { Played } from './play.js';

export interface Fault {
  /** Number of the connection. */
  readonly index: number;
  readonly kind: string;
  readonly label: string;
  readonly what: string;
  /** The request, with unprintable characters escaped. */
  readonly request: string;
}

export function findFaults(plan: Plan, played: Played): Fault[] {
  const faults: Fault[] = [];
  const { steps } = plan;
  const note = (at: number, what: string): void => {
    const step = steps[at];
    const request = step ? show(step.bytes('$session')) : '';
    faults.push({ index: plan.index, kind: plan.kind, label: step?.label ?? '', what, request });
  };
  if (played.noise !== undefined)
    note(played.responses.length, `answers with something other than HTTP: ${played.noise}`);
  for (const [at, response] of played.responses.entries()) {
    const expected = steps[at]?.expect ?? { kind: 'parser' };
    for (const what of faultsOf(response, plan.leave ? { kind: 'parser' } : expected)) note(at, what);
  }
  // A client that breaks the framing or disconnects gets no answer to later requests.
  const answered = played.responses.length;
  const isBroken = steps.slice(0, answered + 1).some(({ expect }) => expect.kind === 'parser');
  if (!plan.leave && !isBroken && answered < played.sent) note(answered, 'is not answered');
  else if (played.isLate) note(Math.max(answered - 1, 0), 'is left waiting');
  return faults;
}

function faultsOf(response: RawResponse, expected: Expectation): string[] {
  const { status, headers, body, isWhole } = response;
  const text = body.toString('utf8');
  const shown = `${status} ${text.slice(0, 300)}`;
  if (status >= 500) return [`answers ${shown}`];
  const messages = messagesIn(headers['content-type'], text);
  const message = messages?.at(-1);
  const error = message?.['error'] as Json | undefined;
  const faults: string[] = [];
  if (leaks(error ? JSON.stringify(error) : messages ? '' : text)) faults.push(`leaks internals: ${shown}`);
  if (isWhole && text !== '' && !messages)
    faults.push(`answers with something other than a message: ${shown}`);
  const isRejection = status >= 400;
  const isOfRpc = Number.isInteger(error?.['code']) && typeof error?.['message'] === 'string';
  switch (expected.kind) {
    case 'answer':
      if (!expected.status.includes(status))
        faults.push(`should be answered ${expected.status.join()}: ${shown}`);
      else if (expected.holds && !(message && expected.holds(message)))
        faults.push(`is not the answer: ${shown}`);
      break;
    case 'rejection':
      if (!(expected.status?.includes(status) ?? isRejection))
        faults.push(`should be rejected with ${expected.status?.join() ?? '4xx'}: ${shown}`);
      else if (!isOfRpc) faults.push(`is rejected without a JSON-RPC error: ${shown}`);
      break;
    case 'stream':
      if (status !== 200 || !headers['content-type']?.startsWith('text/event-stream'))
        faults.push(`is no stream: ${shown}`);
      break;
    case 'anything':
      if (isRejection && !isOfRpc) faults.push(`is rejected without a JSON-RPC error: ${shown}`);
      break;
    case 'parser':
      // A wrong path is answered with a plain 404, and the HTTP parser rejects invalid HTTP with an empty body.
      if (isRejection && status !== 404 && text !== '' && !isOfRpc)
        faults.push(`is rejected with something other than a JSON-RPC error: ${shown}`);
      break;
  }
  return faults;
}

function messagesIn(type: string | undefined, text: string): Json[] | undefined {
  try {
    if (type?.startsWith('application/json')) return [JSON.parse(text) as Json];
    if (!type?.startsWith('text/event-stream')) return undefined;
    return text
      .split('\n')
      .filter((line) => /^data: ?\S/.test(line))
      .map((line) => JSON.parse(line.slice(5)) as Json);
  } catch {
    return undefined;
  }
}

const insides = /\n\s+at |node:internal|node_modules|\/[\w.-]+\.[cm]?[jt]s\b|ECONNREFUSED/;

function leaks(text: string): boolean {
  return insides.test(text);
}

function show(bytes: Buffer): string {
  const text = JSON.stringify(bytes.toString('latin1'));
  return text.length <= 2_000
    ? text
    : `${text.slice(0, 1_500)}… (${bytes.length} bytes) …${text.slice(-300)}`;
}
