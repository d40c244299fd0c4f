import { isJsonObject } from '../../values/json-value.js';
import type { EdgeAnswer } from '../http/request-response.js';
import { INTERNAL_ERROR, INVALID_PARAMS } from '../../protocol/rpc-codes.js';
import type { Id } from '../../protocol/messages.js';
import { writeError } from '../http/json-or-sse-response.js';

type Params = Readonly<Record<string, unknown>>;

/** The parameters that clients get wrong most often. `texts` is an object whose values are all texts. */
interface Form {
  readonly name: string;
  readonly type: 'string' | 'record' | 'texts';
  readonly isOptional?: boolean;
}

const cursor: readonly Form[] = [{ name: 'cursor', type: 'string', isOptional: true }];
const forms: Readonly<Record<string, readonly Form[]>> = {
  'tools/list': cursor,
  'prompts/list': cursor,
  'resources/list': cursor,
  'resources/templates/list': cursor,
  'tools/call': [
    { name: 'name', type: 'string' },
    { name: 'arguments', type: 'record', isOptional: true },
  ],
  'prompts/get': [
    { name: 'name', type: 'string' },
    { name: 'arguments', type: 'texts', isOptional: true },
  ],
  'resources/read': [{ name: 'uri', type: 'string' }],
};

/** An issue as Zod reports it: the SDK sends them as they are. */
interface Issue {
  readonly expected: string;
  readonly code: 'invalid_type';
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * The SDK's answer to parameters of the wrong type. `undefined` where they are right or wrong in another way, which only
 * the SDK can describe.
 */
export function rejectParams(id: Id, method: string, params: Params): EdgeAnswer | undefined {
  // Answers to questions are checked before all other parameters.
  if (params['inputResponses'] !== undefined || params['requestState'] !== undefined) return undefined;
  const issues = (Object.hasOwn(forms, method) ? (forms[method] ?? []) : []).flatMap((form) =>
    issuesOf(form, params[form.name]),
  );
  if (issues.length === 0 || issues.length > MAX_ISSUES) return undefined;
  const described = JSON.stringify(issues, undefined, 2);
  // The SDK's server validates calls itself. For other methods it reports the same failure as an internal error.
  const error =
    method === 'tools/call'
      ? { code: INVALID_PARAMS, message: `Invalid tools/call request: ${described}` }
      : { code: INTERNAL_ERROR, message: described };
  return { status: 200, body: writeError(id, error) };
}

/** Requests with more issues are left to the SDK, because writing a long answer costs more than sending the request. */
const MAX_ISSUES = 20;

function issuesOf({ name, type, isOptional = false }: Form, value: unknown): Issue[] {
  if (value === undefined && isOptional) return [];
  if (type === 'string') return typeof value === 'string' ? [] : [toIssue('string', value, name)];
  if (!isJsonObject(value)) return [toIssue('record', value, name)];
  if (type === 'record') return [];
  return Object.entries(value).flatMap(([key, text]) =>
    typeof text === 'string' ? [] : [toIssue('string', text, name, key)],
  );
}

function toIssue(expected: string, value: unknown, ...path: readonly string[]): Issue {
  return {
    expected,
    code: 'invalid_type',
    path: ['params', ...path],
    message: `Invalid input: expected ${expected}, received ${describeType(value)}`,
  };
}

/** The type of a JSON value, by the name that Zod uses in its messages. */
export function describeType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
