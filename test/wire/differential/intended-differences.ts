/**
 * The intended differences to the SDK, with reasons. An entry excludes its aspects from the comparison and checks
 * them itself. An entry that no case needs is outdated, and fails the test.
 */
import { isUtf8 } from 'node:buffer';
import { errorOf, isObject, resultOf } from './answer.js';
import { FAIL_KEY, knownArguments } from './catalog.js';
import type { Aspect, Pair } from './compare.js';
import { bytesOf, headerOf, isOf2025, messageOf, paramsOf } from './http-case.js';
import type { HttpRequest, Json } from './http-case.js';

export interface IntendedDifference {
  readonly name: string;
  readonly reason: string;
  readonly covers: readonly Aspect[];
  readonly applies: (pair: Pair) => boolean;
  /** Returns the fault of our answer, or `undefined`. */
  readonly expect?: (pair: Pair) => string | undefined;
}

const everything: readonly Aspect[] = ['status', 'headers', 'body', 'bytes'];
const answerKinds = new Set<unknown>(['accept', 'decline', 'cancel']);
const onThisMachine = /^(localhost|127\.0\.0\.1|\[::1\])$/;

export const intendedDifferences: readonly IntendedDifference[] = [
  {
    name: 'origin',
    reason: 'A server must check Origin. The SDK leaves that to the program that mounts its handler.',
    covers: everything,
    applies: ({ request }) => {
      const origin = headerOf(request, 'origin');
      return origin !== undefined && !onThisMachine.test(hostnameOf(origin) ?? '');
    },
    expect: ({ ours }) => hasStatus(ours, 403),
  },
  {
    name: 'host',
    reason: 'A local server accepts only its own names, because a web page could rebind another name to it.',
    covers: everything,
    applies: ({ request }) => {
      const host = headerOf(request, 'host');
      return host !== undefined && !onThisMachine.test(hostnameOf(`http://${host}`) ?? '');
    },
    expect: ({ ours }) => hasStatus(ours, 400, 403),
  },
  {
    name: 'path',
    reason: 'serveHttp serves one path. The SDK leaves paths to the program that mounts its handler.',
    covers: everything,
    applies: ({ request: { target } }) =>
      target !== undefined && !/^(http:\/\/[^/]+)?\/mcp(\?|$)/.test(target),
    expect: ({ ours }) => hasStatus(ours, 404),
  },
  {
    name: 'size of headers',
    reason: 'A Node server limits the size of headers; a hand-made Request has no such limit.',
    covers: everything,
    applies: ({ request }) =>
      request.headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0) > 16_384,
    expect: ({ ours }) => hasStatus(ours, 200, 431),
  },
  {
    name: 'text',
    reason: 'Messages must be UTF-8. The SDK replaces invalid bytes and continues.',
    covers: everything,
    applies: ({ request, theirs }) =>
      request.method === 'POST' && ![413, 415].includes(theirs.status) && !isUtf8(bytesOf(request)),
    expect: ({ ours }) => hasStatus(ours, 400) ?? hasCode(ours, -32_700),
  },
  {
    name: 'depth',
    reason: 'Messages that are nested too deep are rejected before they are traversed.',
    covers: everything,
    applies: ({ request, theirs }) =>
      request.method === 'POST' &&
      theirs.status !== 415 &&
      depthOf(bytesOf(request).toString('latin1')) > 5_000,
    expect: ({ ours }) => hasStatus(ours, 400),
  },
  {
    name: 'sessions',
    reason: 'createMcpHandler serves 2025 without sessions. Toolfold has sessions, and requires one.',
    covers: everything,
    applies: ({ judge, request }) => {
      if (judge === 'composed') return false;
      if (request.method === 'POST') return isOf2025(request) && messageOf(request) !== undefined;
      return ['GET', 'DELETE'].includes(request.method) && Boolean(headerOf(request, 'mcp-session-id'));
    },
    expect: ({ request, ours, theirs }) => {
      // Another fault of the request may be reported first.
      const others = theirs.status >= 400 ? [theirs.status] : [];
      if (request.method !== 'POST') return hasStatus(ours, 404, ...others);
      const isOpening = methodIn(request) === 'initialize' && ours.status === 200;
      if (isOpening) return ours.headers['mcp-session-id'] === undefined ? 'opens no session' : undefined;
      return hasStatus(ours, 400, 404, ...others);
    },
  },
  {
    name: 'invalid JSON before Accept',
    reason: 'Invalid JSON belongs to no era, so no 2025 header is required. The SDK checks Accept first.',
    covers: everything,
    applies: ({ judge, request, theirs }) =>
      judge !== 'composed' && theirs.status === 406 && messageOf(request) === undefined,
    expect: ({ ours }) => hasStatus(ours, 400) ?? hasCode(ours, -32_700),
  },
  {
    name: 'initialize in an unknown session',
    reason: 'An unknown session is not found, for every method. The SDK checks the method first.',
    covers: everything,
    applies: ({ judge, request, before }) =>
      judge === 'composed' &&
      before.length === 0 &&
      Boolean(headerOf(request, 'mcp-session-id')) &&
      methodIn(request) === 'initialize',
    expect: ({ ours }) => hasStatus(ours, 404),
  },
  {
    name: 'initialize in a batch',
    reason: 'The handshake must not be part of a batch. The SDK accepts it in a batch of one.',
    covers: everything,
    applies: ({ request }) => {
      const message = messageOf(request);
      return (
        Array.isArray(message) && message.some((each) => isObject(each) && each['method'] === 'initialize')
      );
    },
    expect: ({ ours }) => hasStatus(ours, 400),
  },
  {
    name: 'invalid initialize',
    reason:
      'An invalid handshake is answered with its fault. The SDK treats it as a request without a session.',
    covers: ['body'],
    applies: ({ judge, request, theirs }) =>
      judge === 'composed' &&
      theirs.status === 400 &&
      methodIn(request) === 'initialize' &&
      !headerOf(request, 'mcp-session-id'),
    expect: ({ ours }) => hasStatus(ours, 400),
  },
  {
    name: 'answers to a batch',
    reason: 'A batch is answered with one list in its order. The SDK sends the answers as they complete.',
    covers: ['body'],
    applies: ({ request, ours }) => Array.isArray(messageOf(request)) && ours.status === 200,
    expect: ({ ours, theirs }) =>
      ours.text.startsWith('[') || theirs.text === '' ? undefined : 'the answers are no list',
  },
  {
    name: 'wrong parameters in 2025',
    reason: 'They are a client error: -32602. The SDK reports a server error.',
    covers: ['body'],
    applies: ({ judge, request, theirs, ours }) =>
      judge === 'composed' &&
      isOf2025(request) &&
      errorOf(theirs)?.['code'] === -32_603 &&
      errorOf(ours)?.['code'] === -32_602,
  },
  {
    name: 'a 2025 client that cannot answer',
    reason: 'The model learns why the call failed. The SDK returns -32021, which 2026-07-28 introduced.',
    covers: ['body'],
    applies: ({ judge, request, theirs }) =>
      judge === 'composed' && isOf2025(request) && errorOf(theirs)?.['code'] === -32_021,
    expect: ({ ours }) => (resultOf(ours)?.['isError'] === true ? undefined : 'no failed call'),
  },
  {
    name: 'log messages',
    reason: 'Handlers can send them, so the capability is declared. The compared SDK tools send none.',
    covers: ['body'],
    applies: ({ judge, request, theirs }) =>
      judge === 'sdk' && methodIn(request) === 'server/discover' && resultOf(theirs) !== undefined,
    expect: ({ ours }) => (isObject(resultOf(ours)?.['capabilities']) ? undefined : 'no capabilities'),
  },
  {
    name: 'state of questions',
    reason: 'Questions carry a signed state, and a foreign one is rejected. The SDK leaves that to authors.',
    covers: ['body'],
    applies: ({ judge, request, theirs }) =>
      judge === 'sdk' && toolIn(request) === 'ask' && resultOf(theirs)?.['resultType'] === 'input_required',
    expect: ({ request, ours }) =>
      paramsOf(request)['requestState'] === undefined
        ? typeof resultOf(ours)?.['requestState'] === 'string' || errorOf(ours) || resultOf(ours)?.['isError']
          ? undefined
          : 'no state'
        : hasCode(ours, -32_602),
  },
  {
    name: 'parameter headers',
    reason:
      'The SDK checks Mcp-Param-* for its own McpServer, whose answers are compared too, but for no other.',
    covers: everything,
    applies: ({ judge, request }) => judge !== 'sdk' && toolIn(request) === 'route',
  },
  {
    name: 'invalid answers',
    reason: 'Answers are checked like arguments. The SDK leaves that to the handler.',
    covers: ['status', 'body'],
    applies: ({ judge, request }) => {
      const answers = paramsOf(request)['inputResponses'];
      const answer = isObject(answers) && Object.hasOwn(answers, 'who') ? answers['who'] : undefined;
      const isAnswer = isObject(answer) && answerKinds.has(answer['action']);
      return judge === 'sdk' && toolIn(request) === 'ask' && answers !== undefined && !isAnswer;
    },
    expect: ({ request, ours }) =>
      isOf2025(request) || resultOf(ours)?.['resultType'] === 'input_required'
        ? undefined
        : isFailedCall(ours),
  },
  {
    name: 'answers before 2026-07-28',
    reason: '2026-07-28 introduced rounds of questions. Before, their parameters have no meaning.',
    covers: ['body'],
    applies: ({ judge, request }) => {
      const { inputResponses, requestState } = paramsOf(request);
      const hasRounds = inputResponses !== undefined || requestState !== undefined;
      const method = methodIn(request) ?? '';
      const isAskable = ['tools/call', 'prompts/get', 'resources/read'].includes(method);
      return judge === 'composed' && isOf2025(request) && isAskable && hasRounds;
    },
  },
  {
    name: 'two types',
    reason: 'Of two Content-Type headers, a Node server passes on the first. A Request joins them.',
    covers: everything,
    applies: ({ request }) =>
      request.headers.filter(([name]) => name.toLowerCase() === 'content-type').length > 1,
  },
  {
    name: '__proto__',
    reason: 'It is an unknown argument, and rejected like any other. The SDK drops it silently.',
    covers: ['status', 'body'],
    applies: ({ request }) => Object.hasOwn(argumentsOf(request), '__proto__'),
    expect: ({ request, ours }) => (isOf2025(request) ? undefined : isFailedCall(ours)),
  },
  {
    name: 'unknown arguments',
    reason: 'They are rejected, so that the model learns of its mistake. The SDK drops them silently.',
    covers: ['status', 'body'],
    applies: ({ judge, request, theirs }) => {
      const known = knownArguments.get(toolIn(request));
      const isUnknown = Object.keys(argumentsOf(request)).some((name) => !known?.includes(name));
      const isTaken = resultOf(theirs) !== undefined || errorOf(theirs)?.['code'] === -32_021;
      return judge === 'sdk' && known !== undefined && isUnknown && isTaken;
    },
    expect: ({ ours }) => isFailedCall(ours),
  },
  {
    name: 'cursors',
    reason: 'A cursor that was never issued is rejected. The SDK has no pages and ignores cursors.',
    covers: ['body'],
    applies: ({ judge, request, theirs }) =>
      judge === 'sdk' &&
      Boolean(methodIn(request)?.endsWith('/list')) &&
      typeof paramsOf(request)['cursor'] === 'string' &&
      resultOf(theirs) !== undefined,
    expect: ({ ours }) => hasCode(ours, -32_602),
  },
  {
    name: 'middleware',
    reason:
      'The SDK has none. A throwing middleware fails a call, and causes an error for any other request.',
    covers: ['body'],
    applies: ({ judge, request, theirs }) => {
      const meta = paramsOf(request)['_meta'];
      return judge === 'sdk' && isObject(meta) && Object.hasOwn(meta, FAIL_KEY) && theirs.status === 200;
    },
    expect: ({ request, ours }) =>
      methodIn(request) === 'tools/call' ? isFailedCall(ours) : hasCode(ours, -32_603),
  },
];

function hasStatus({ status }: Pair['ours'], ...right: readonly number[]): string | undefined {
  return right.includes(status) ? undefined : `status ${status} instead of ${right.join(' or ')}`;
}

function hasCode(answer: Pair['ours'], code: number): string | undefined {
  const said = errorOf(answer)?.['code'];
  return said === code ? undefined : `code ${String(said)} instead of ${code}`;
}

function isFailedCall(answer: Pair['ours']): string | undefined {
  const isRejected = resultOf(answer)?.['isError'] === true || errorOf(answer) !== undefined;
  return isRejected ? undefined : 'the call went through';
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

function methodIn(request: HttpRequest): string | undefined {
  const message = messageOf(request);
  const method = isObject(message) && !Array.isArray(message) ? message['method'] : undefined;
  return typeof method === 'string' ? method : undefined;
}

function toolIn(request: HttpRequest): unknown {
  return methodIn(request) === 'tools/call' ? paramsOf(request)['name'] : undefined;
}

function argumentsOf(request: HttpRequest): Json {
  const args = methodIn(request) === 'tools/call' ? paramsOf(request)['arguments'] : undefined;
  return isObject(args) && !Array.isArray(args) ? args : {};
}

/** The maximum depth of brackets outside of strings. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  // A regular expression that matches strings overflows its stack with strings of megabytes.
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (char === '"') isInString = !isInString;
    else if (isInString) at += char === '\\' ? 1 : 0;
    else if (char === '[' || char === '{') deepest = Math.max(deepest, ++depth);
    else if (char === ']' || char === '}') depth--;
  }
  return deepest;
}
