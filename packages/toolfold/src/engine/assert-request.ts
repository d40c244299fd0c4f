import { ErrInvalidOptions } from '@toolfold/schema/errors';
import {
  clip,
  describeValue,
  isObject,
  isPlainObject,
  isPromise,
  suggestName,
} from '@toolfold/schema/internal';
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
  asListed: true,
  emit: true,
};

const requestFields: Readonly<Record<keyof ExecuteRequest, true>> = {
  ...optionFields,
  name: true,
  arguments: true,
  minify: true,
  idempotencyKey: true,
  reading: true,
  run: true,
};

const callFields: ReadonlySet<string> = new Set(Object.keys(requestFields));

/** Names of other frameworks, for the hint that names the right field. */
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
  for (const field in request) if (!callFields.has(field)) return isObject(request) && 'method' in request;
  // Middleware gets copies, which lose the fields of a class or prototype, such as the selection.
  return Boolean(view.tools) && isObject(request) && isPlainObject(request);
}

export function rejectCall(request: unknown, view: { readonly tools: unknown }): Promise<never> {
  const isView = view !== null && typeof view === 'object' && !!view.tools;
  const isRequest =
    isObject(request) && isPlainObject(request) && Object.keys(request).every((key) => callFields.has(key));
  return Promise.reject(isRequest && !isView ? invalidView(view) : invalidRequest('executeTool', request));
}

/** Throws unless a request is an object with known fields. A request of a client also has its method. */
export function assertRequest<T>(method: 'getPrompt' | 'readResource', request: T): T {
  const isKnown = (field: string): boolean =>
    callFields.has(field) || field === 'method' || (method === 'readResource' && field === 'uri');
  if (isObject(request) && isPlainObject(request) && Object.keys(request).every(isKnown)) return request;
  throw invalidRequest(method, request);
}

const forms = {
  executeTool: (name: string) => `executeTool({ name: ${name}, arguments: { … } })`,
  getPrompt: (name: string) => `getPrompt({ name: ${name}, arguments: { … } })`,
  readResource: (uri: string) => `readResource({ uri: ${uri} })`,
};

function invalidRequest(method: keyof typeof forms, request: unknown): ErrInvalidOptions {
  if (isPromise(request))
    return new ErrInvalidOptions(`${method} takes one object, but got a promise.`, {
      hint: `Write ${method}(await …).`,
    });
  if (!isObject(request) || !isPlainObject(request)) {
    const first = typeof request === 'string' ? `'${clip(request, 40)}'` : "'…'";
    const hint = `Write ${forms[method](first)}.`;
    const kind = isObject(request) ? 'one plain object' : 'one object';
    return new ErrInvalidOptions(`${method} takes ${kind}, but got ${describeValue(request)}.`, { hint });
  }
  const known = [...callFields];
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
