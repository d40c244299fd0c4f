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
    reason: 'A server must look at Origin. The SDK leaves that to whoever puts its handler behind a server.',
    covers: everything,
    applies: ({ request }) => {
      const origin = headerOf(request, 'origin');
      return origin !== undefined && !onThisMachine.test(hostnameOf(origin) ?? '');
    },
    expect: ({ ours }) => hasStatus(ours, 403),
  },
  {
    name: 'host',
    reason: 'A server on this machine is addressed by its names only, or a page could rebind its own to it.',
    covers: everything,
    applies: ({ request }) => {
      const host = headerOf(request, 'host');
      return host !== undefined && !onThisMachine.test(hostnameOf(`http://${host}`) ?? '');
    },
    expect: ({ ours }) => hasStatus(ours, 400, 403),
  },
  {
    name: 'path',
    reason: 'serveHttp serves one path. The SDK leaves paths to whoever puts its handler behind a server.',
    covers: everything,
    applies: ({ request: { target } }) =>
      target !== undefined && !/^(http:\/\/[^/]+)?\/mcp(\?|$)/.test(target),
    expect: ({ ours }) => hasStatus(ours, 404),
  },
  {
    name: 'size of headers',
    reason: 'A server of Node bounds them; a Request that somebody made by hand has no such bound.',
    covers: everything,
    applies: ({ request }) =>
      request.headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0) > 16_384,
    expect: ({ ours }) => hasStatus(ours, 200, 431),
  },
  {
    name: 'text',
    reason: 'Messages are UTF-8. The SDK puts a replacement character where bytes are none, and goes on.',
    covers: everything,
    applies: ({ request, theirs }) =>
      request.method === 'POST' && ![413, 415].includes(theirs.status) && !isUtf8(bytesOf(request)),
    expect: ({ ours }) => hasStatus(ours, 400) ?? hasCode(ours, -32_700),
  },
  {
    name: 'depth',
    reason: 'What is nested deeper than anybody needs is refused before anything walks through it.',
    covers: everything,
    applies: ({ request, theirs }) =>
      request.method === 'POST' &&
      theirs.status !== 415 &&
      depthOf(bytesOf(request).toString('latin1')) > 5_000,
    expect: ({ ours }) => hasStatus(ours, 400),
  },
  {
    name: 'sessions',
    reason:
      'createMcpHandler serves 2025 without sessions. Here there are some, and a request must be in one.',
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
    name: 'no JSON before what is accepted',
    reason:
      'What is no JSON is of no era, and needs nothing that 2025 asks for. The SDK looks at Accept first.',
    covers: everything,
    applies: ({ judge, request, theirs }) =>
      judge !== 'composed' && theirs.status === 406 && messageOf(request) === undefined,
    expect: ({ ours }) => hasStatus(ours, 400) ?? hasCode(ours, -32_700),
  },
  {
    name: 'initialize in a session that is not there',
    reason:
      'A session that nobody has is not found, whatever is asked in it. The SDK looks at the method first.',
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
    reason: 'The handshake must not be part of a batch. The SDK takes it from a batch of one.',
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
    name: 'initialize that is not right',
    reason:
      'Who opens a session wrongly is told what is wrong. The SDK takes it for a request without a session.',
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
    reason: 'What comes in one list is answered in one list, in its order. The SDK sends them as they come.',
    covers: ['body'],
    applies: ({ request, ours }) => Array.isArray(messageOf(request)) && ours.status === 200,
    expect: ({ ours, theirs }) =>
      ours.text.startsWith('[') || theirs.text === '' ? undefined : 'the answers are no list',
  },
  {
    name: 'wrong parameters in 2025',
    reason: 'They are the mistake of the client: -32602. The SDK says that the server failed.',
    covers: ['body'],
    applies: ({ judge, request, theirs, ours }) =>
      judge === 'composed' &&
      isOf2025(request) &&
      errorOf(theirs)?.['code'] === -32_603 &&
      errorOf(ours)?.['code'] === -32_602,
  },
  {
    name: 'nobody to ask in 2025',
    reason: 'The model learns why the call failed. -32021, which the SDK gives, came with 2026-07-28.',
    covers: ['body'],
    applies: ({ judge, request, theirs }) =>
      judge === 'composed' && isOf2025(request) && errorOf(theirs)?.['code'] === -32_021,
    expect: ({ ours }) => (resultOf(ours)?.['isError'] === true ? undefined : 'no failed call'),
  },
  {
    name: 'log messages',
    reason:
      'Handlers can send some, so that they are declared. The tools of the SDK compared with send none.',
    covers: ['body'],
    applies: ({ judge, request, theirs }) =>
      judge === 'sdk' && methodIn(request) === 'server/discover' && resultOf(theirs) !== undefined,
    expect: ({ ours }) => (isObject(resultOf(ours)?.['capabilities']) ? undefined : 'no capabilities'),
  },
  {
    name: 'state of questions',
    reason:
      'Questions go out with a signed state, and one that is not ours is refused. The SDK leaves it to authors.',
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
    name: 'answers that are none',
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
    reason: 'Rounds of questions came with 2026-07-28. Before, their parameters mean nothing.',
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
    reason: 'Of two Content-Type headers, a server of Node hands on the first. A Request joins them.',
    covers: everything,
    applies: ({ request }) =>
      request.headers.filter(([name]) => name.toLowerCase() === 'content-type').length > 1,
  },
  {
    name: '__proto__',
    reason: 'It is an argument that no tool knows, and refused like any. The SDK drops it unseen.',
    covers: ['status', 'body'],
    applies: ({ request }) => Object.hasOwn(argumentsOf(request), '__proto__'),
    expect: ({ request, ours }) => (isOf2025(request) ? undefined : isFailedCall(ours)),
  },
  {
    name: 'unknown arguments',
    reason: 'They are refused, so that the model learns of its mistake. The SDK drops them unseen.',
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
    reason: 'A cursor that was never given out is refused. The SDK has no pages and looks at none.',
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
    reason: 'The SDK has none. One that throws fails a call, and answers any other request with an error.',
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
  const isRefused = resultOf(answer)?.['isError'] === true || errorOf(answer) !== undefined;
  return isRefused ? undefined : 'the call went through';
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
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"?|[[{]|[\]}]/g)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth--;
  }
  return deepest;
}
