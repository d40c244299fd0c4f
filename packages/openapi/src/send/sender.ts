import type { ToolContext } from 'toolfold';
import { ErrToolFailed, ToolfoldError } from 'toolfold/errors';
import { collectCredentials, createRedactor, redactError, redactThrown } from 'toolfold/internal';
import type { Redactor } from 'toolfold/internal';
import type { RequestPlan } from '../request-plan.js';
import { assertBaseUrl } from './addresses.js';
import { toApiError } from './api-error.js';
import { buildBody } from './body.js';
import { findCredentials } from './credentials.js';
import type { SentCredentials } from './credentials.js';
import { exchange } from './exchange.js';
import type { ReadyRequest } from './exchange.js';
import { assertOwnHeaders, buildHeaders } from './headers.js';
import { hideSecrets } from './hide-secrets.js';
import { describeNextPage } from './pagination.js';
import { readResponse, toHandlerValue } from './read-response.js';
import type { RequestSettings } from './settings.js';
import { buildUrl } from './url.js';

type Input = Readonly<Record<string, unknown>>;

/** Sends the request of one call, and returns what its handler returns: a value, content or a result. */
export type SendRequest = (plan: RequestPlan, input: Input, context: ToolContext) => Promise<unknown>;

/** Makes the function that sends the requests of an API to its base address. Credentials go only to that address, and appear in no error. */
export function createSender(settings: RequestSettings, baseUrl: URL): SendRequest {
  assertBaseUrl(baseUrl, settings.isBaseTrusted);
  if (typeof settings.headers !== 'function') assertOwnHeaders(settings.headers);
  const base = new URL(baseUrl);
  return async (plan, input, context) => {
    const ownHeaders =
      typeof settings.headers === 'function' ? await settings.headers(context) : settings.headers;
    assertOwnHeaders(ownHeaders);
    const credentials = await findCredentials(plan, settings, context, ownHeaders);
    const secrets = [...credentials.secrets, ...(collectCredentials({ headers: ownHeaders }) ?? [])];
    const redactor = createRedactor(secrets);
    try {
      const request = buildRequest(plan, input, { base, ownHeaders, credentials, settings });
      const { schemes } = credentials;
      return await call(plan, input, { request, context, settings, secrets, redactor, schemes });
    } catch (thrown) {
      throw withoutCredentials(thrown, redactor);
    }
  };
}

function buildRequest(
  plan: RequestPlan,
  input: Input,
  parts: {
    readonly base: URL;
    readonly ownHeaders: Readonly<Record<string, string>>;
    readonly credentials: SentCredentials;
    readonly settings: RequestSettings;
  },
): ReadyRequest {
  const { base, ownHeaders, credentials, settings } = parts;
  const { method } = plan;
  const url = buildUrl(base, plan, input, credentials.query);
  const body = buildBody(plan, input, settings.maxRequestBytes);
  if (body && (method === 'GET' || method === 'HEAD'))
    throw new ErrToolFailed(`A ${method} request cannot have a body.`, {
      hint: 'Leave the arguments of the body out.',
    });
  const headers = buildHeaders(plan, input, {
    headers: { ...ownHeaders, ...credentials.headers },
    cookies: credentials.cookies,
  });
  if (body) headers.set('content-type', body.mediaType);
  // Some APIs reject requests without it.
  if (!headers.has('user-agent')) headers.set('user-agent', 'toolfold');
  return { method, base, url, headers, body };
}

async function call(
  plan: RequestPlan,
  input: Input,
  {
    request,
    context,
    settings,
    secrets,
    ...error
  }: {
    readonly request: ReadyRequest;
    readonly context: ToolContext;
    readonly settings: RequestSettings;
    readonly secrets: readonly string[];
    readonly redactor: Redactor;
    readonly schemes: readonly string[];
  },
): Promise<unknown> {
  const response = hideSecrets(await exchange(request, settings, context), secrets);
  if (response.status < 200 || response.status > 299) throw toApiError(response, plan, error);
  const read = readResponse(response, plan.method);
  const note = describeNextPage(plan, input, response, 'value' in read ? read.value : undefined);
  return toHandlerValue(read, note);
}

/** Errors of Toolfold keep their class and their cause, unless they contain a credential. */
function withoutCredentials(thrown: unknown, redactor: Redactor): unknown {
  if (!(thrown instanceof ToolfoldError)) return redactThrown(thrown, redactor);
  const details = JSON.stringify(thrown.details);
  const isClean = redactor.text(thrown.message) === thrown.message && redactor.text(details) === details;
  return isClean ? thrown : redactError(thrown, redactor);
}
