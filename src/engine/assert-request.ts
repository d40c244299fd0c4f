import { ErrInvalidOptions } from '../errors.js';
import { describeValue, isPromise } from '../values/describe-value.js';
import { isObject } from '../values/json-value.js';
import { clip, suggestName } from '../values/nearest-name.js';
import type { ExecuteRequest, RequestOptions } from './request.js';

const optionFields: Readonly<Record<keyof RequestOptions, true>> = {
  protocolVersion: true,
  signal: true,
  lazySignal: true,
  release: true,
  progress: true,
  caller: true,
  accessToken: true,
  session: true,
  selection: true,
  enabledToolsets: true,
  clientId: true,
  meta: true,
  log: true,
  ask: true,
  sdk: true,
  onFault: true,
  trace: true,
};

/** The fields that a call may have. */
const callFields: Readonly<Record<keyof ExecuteRequest, true>> = Object.freeze(
  Object.assign(Object.create(null) as object, optionFields, {
    name: true as const,
    arguments: true as const,
    minify: true as const,
    idempotencyKey: true as const,
    onAdmitted: true as const,
    onResult: true as const,
    run: true as const,
  }),
);

/** Names that other frameworks give to the arguments of a call. */
const otherNames: Readonly<Record<string, string>> = {
  args: 'arguments',
  input: 'arguments',
  params: 'arguments',
  parameters: 'arguments',
  tool: 'name',
  toolName: 'name',
};

/**
 * Whether a call of the author's code has only known fields, because a misspelt field would be ignored. A request of a client also has its
 * method and parameters. The edges need no check; they pass `viewFor`.
 */
export function isCallRequest(request: ExecuteRequest, view: { readonly tools: unknown }): boolean {
  // Most calls have only these two fields. Comparing takes a tenth of the time of a lookup.
  for (const field in request)
    if (field !== 'name' && field !== 'arguments' && !(field in callFields))
      return isObject(request) && 'method' in request;
  if (!view.tools) return false;
  return typeof request?.name === 'string' || (isObject(request) && !isPromise(request));
}

/** Rejects a call for which `isCallRequest` is false. */
export function rejectCall(request: unknown, view: { readonly tools: unknown }): Promise<never> {
  const isView = view !== null && typeof view === 'object' && !!view.tools;
  const isRequest =
    isObject(request) && !isPromise(request) && Object.keys(request).every((key) => key in callFields);
  return Promise.reject(isRequest && !isView ? invalidView(view) : invalidRequest('executeTool', request));
}

/** Throws unless a request is an object with known fields. A request of a client also has its method. */
export function assertRequest<T>(method: 'getPrompt' | 'readResource', request: T): T {
  const isKnown = (field: string): boolean =>
    field in callFields || field === 'method' || (method === 'readResource' && field === 'uri');
  if (isObject(request) && !isPromise(request) && Object.keys(request).every(isKnown)) return request;
  throw invalidRequest(method, request);
}

const forms = {
  executeTool: (name: string) => `executeTool({ name: ${name}, arguments: { … } })`,
  getPrompt: (name: string) => `getPrompt({ name: ${name}, arguments: { … } })`,
  readResource: (uri: string) => `readResource({ uri: ${uri} })`,
};

function invalidRequest(method: keyof typeof forms, request: unknown): ErrInvalidOptions {
  if (!isObject(request) || Array.isArray(request)) {
    const first = typeof request === 'string' ? `'${clip(request, 40)}'` : "'…'";
    const hint = `Write ${forms[method](first)}.`;
    return new ErrInvalidOptions(`${method} takes one object, but got ${describeValue(request)}.`, { hint });
  }
  if (isPromise(request))
    return new ErrInvalidOptions(`${method} takes one object, but got a promise.`, {
      hint: `Write ${method}(await …).`,
    });
  const known = Object.keys(callFields);
  const field = Object.keys(request).find((key) => !known.includes(key) && key !== 'method') ?? '';
  const usual = Object.hasOwn(otherNames, field) ? `Write "${otherNames[field]}" instead.` : undefined;
  return new ErrInvalidOptions(`${method} has no field "${field}".`, {
    hint: usual ?? suggestName(field, known).hint ?? `The fields are ${known.join(', ')}.`,
    details: { field },
  });
}

function invalidView(view: unknown): ErrInvalidOptions {
  return new ErrInvalidOptions(
    `The second argument of executeTool must be a view, not ${describeValue(view)}.`,
    {
      hint: 'Write all fields in the first: executeTool({ name, arguments, caller }).',
    },
  );
}
