/** Generates the sections of `docs/reference/errors.md`: for each code, what callers get, what to do, and its hints. */
import { errorTable } from 'toolfold/errors';
import { packageFolders, parseSource, sourcesOf } from './packages.js';
import type { ErrorCode } from 'toolfold/errors';

const RESULT = 'a result with `isError`';
const PARAMS = 'JSON-RPC -32602; for a program that calls `executeTool`, a result with `isError`';
const STATUS = 'HTTP 400 with JSON-RPC -32602';

/** The answer that callers get for each error, and their next step. Callers do not see errors for authors. */
export const steps = {
  ErrUnknownTool: [PARAMS, 'List the tools again, and use one of their names.'],
  ErrActionRequired: [RESULT, 'Name one of the actions that the message lists.'],
  ErrUnknownAction: [RESULT, 'Name one of the actions that the message lists.'],
  ErrValidationFailed: [RESULT, 'Correct every field that the message names, and call again.'],
  ErrToolFailed: [
    RESULT,
    'Read the message. Its `suggestions` say whether to look something up, to wait or to stop.',
  ],
  ErrTimeout: [RESULT, 'Check whether the call took effect before you call again.'],
  ErrCancelled: ['no answer, because the caller has disconnected', 'Do nothing.'],
  ErrOverloaded: [RESULT, 'Call again in a moment. Nothing was done.'],
  ErrUnknownPrompt: ['JSON-RPC -32602', 'List the prompts again.'],
  ErrUnknownResource: [
    'JSON-RPC -32602, with the `uri` in its data',
    'List the resources and templates again.',
  ],
  ErrInputUnavailable: [RESULT, 'Send the answers as arguments, or use a client that supports questions.'],
  ErrInvalidRequestState: [
    'JSON-RPC -32602, or a result with `isError` if the call has already run',
    'Start again without `requestState` and `inputResponses`.',
  ],
  ErrInvalidCursor: ['JSON-RPC -32602', 'List from the beginning.'],
  ErrMissingCapability: [
    'JSON-RPC -32021, in 2026-07-28 with HTTP 400',
    'Use a client with the capabilities in `details.requiredCapabilities`.',
  ],
  ErrUnknownTask: [
    'JSON-RPC -32602',
    'Call the tool again: the task has expired or belongs to another caller.',
  ],
  ErrProtocol: ['the JSON-RPC error that the handler chose', 'Follow the message of the handler.'],
  ErrInvalidSessionContext: [STATUS, 'Correct the header or the query parameter that the message names.'],
  ErrUnknownToolset: [
    `${STATUS}; from a tool of the server, a result with \`isError\``,
    'Choose from the toolsets that the message lists.',
  ],
  ErrTooManyToolsets: [
    `${STATUS}; from a tool of the server, a result with \`isError\``,
    'Select fewer, or disable one first.',
  ],
  ErrInvalidSelection: [STATUS, 'Correct the path or the header that the message names.'],
  ErrInsufficientScope: [
    'HTTP 403 with a challenge if `oauth()` is used, otherwise a result with `isError`',
    'Ask the authorization server for the scopes in `details.required`.',
  ],
  ErrRateLimited: [RESULT, 'Wait for `details.retryAfterMs`.'],
  ErrIdempotencyConflict: [
    RESULT,
    'Use a new key for a new call. If the first call failed, check first what it changed.',
  ],
  ErrOutcomeUnknown: [
    RESULT,
    'Check whether the first call, or the calls of the code, took effect. If not, call with a new key or run the code again.',
  ],
  ErrOutputTooLarge: [RESULT, 'Narrow the call with the arguments that the message names.'],
  ErrUpstreamLost: [
    RESULT,
    'If the message says that the call may have run, check whether it took effect. Otherwise call again later.',
  ],
  ErrCallNotAllowed: [
    'an error that the code can catch',
    'Call the tool directly, as the `suggestions` say, or use a tool that code may call.',
  ],
  ErrCodeFailed: [
    RESULT,
    'Correct the code. The message lists the calls that were made, so that no write is repeated.',
  ],
} satisfies Readonly<Partial<Record<ErrorCode, readonly [seen: string, next: string]>>>;

const START = '<!-- Below: made from the code by `npm run docs`. -->';

/** Returns the page with all sections generated again. */
export function fillErrors(markdown: string): string {
  const [head = ''] = markdown.split(START);
  const hints = readHints();
  const sections = (Object.keys(errorTable) as ErrorCode[]).map((code) => {
    const { audience, when } = errorTable[code];
    const step = audience === 'author' ? undefined : steps[code as keyof typeof steps];
    const said = [...(hints.get(code) ?? [])].toSorted().map((hint) => `- ${hint}`);
    return [
      `### ${code}`,
      `For the ${audience}. ${when}`,
      ...(step ? [`Callers get ${step[0]}. ${step[1]}`] : []),
      ...(said.length > 0 ? [`Hints:\n\n${said.join('\n')}`] : []),
    ].join('\n\n');
  });
  return `${head}${START}\n\n## Codes\n\n${sections.join('\n\n')}\n`;
}

interface Visited {
  readonly type?: string;
  readonly callee?: { readonly name?: string };
  readonly arguments?: readonly { readonly properties?: readonly Property[] }[];
}
interface Property {
  readonly key?: { readonly name?: string };
  readonly value?: Text;
}
interface Text {
  readonly type: string;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly cooked?: string } }[];
}

/** Reads the hints of `new ErrX(…)` from the source. Values that are only known at run time become `…`. */
function readHints(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, callee, arguments: given } = node as Visited;
    const code = type === 'NewExpression' ? (callee?.name ?? '') : '';
    const hint = Object.hasOwn(errorTable, code)
      ? given?.[1]?.properties?.find(({ key }) => key?.name === 'hint')?.value
      : undefined;
    const text = hint && textOf(hint);
    if (text) found.set(code, (found.get(code) ?? new Set()).add(text));
    for (const child of Object.values(node)) visit(child);
  };
  for (const file of packageFolders.flatMap(sourcesOf)) visit(parseSource(file));
  return found;
}

/** Escapes `*`, `_` and `<`, because hints contain code that Markdown would interpret. */
function textOf({ type, value, quasis }: Text): string | undefined {
  const text =
    type === 'Literal' && typeof value === 'string'
      ? value
      : type === 'TemplateLiteral'
        ? quasis?.map((part) => part.value.cooked ?? '').join('…')
        : undefined;
  return text?.replaceAll(/[*_<]/g, (sign) => `\\${sign}`);
}
