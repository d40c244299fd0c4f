import { clip, isJsonObject, parseForeignJson } from '@toolfold/schema/internal';
import { ErrToolFailed } from 'toolfold/errors';
import type { Redactor } from 'toolfold/internal';
import { retryAfterOf } from 'toolfold/internal';
import type { RequestPlan } from '../request-plan.js';
import { isSafe } from './exchange.js';
import type { ApiResponse } from './exchange.js';
import { mediaTypeOf, textIn } from './read-response.js';

const MAX_MESSAGE = 1_000;
const MAX_PROBLEMS = 10;

/** An error response of an API. The retry rule reads `status` and `retryAfterMs`. */
export class ApiError extends ErrToolFailed {
  get status(): unknown {
    return this.details['status'];
  }

  get retryAfterMs(): unknown {
    return this.details['retryAfterMs'];
  }
}

/** Makes the error of a response whose status is not 2xx: the status, the API's own message, and what to do next. */
export function toApiError(
  response: ApiResponse,
  plan: RequestPlan,
  { schemes, redactor }: { readonly schemes: readonly string[]; readonly redactor: Redactor },
): ApiError {
  const { status, statusText } = response;
  const reason = statusText === '' ? `${status}` : `${status} ${clip(statusText, 60)}`;
  const own = describeBody(response);
  // Redaction precedes the cut, because the redactor does not recognise a part of a credential.
  const message = own === '' ? '' : clip(redactor.text(own), MAX_MESSAGE).trim();
  const retryAfterMs = retryAfter(response);
  const hint = adviceFor(status, { plan, schemes, retryAfterMs });
  const text = message === '' ? reason : `${reason}: ${message}`;
  return new ApiError(/[.!?…]$/.test(text) ? `The API answered ${text}` : `The API answered ${text}.`, {
    hint,
    details: {
      status,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(schemes.length > 0 && (status === 401 || status === 403) ? { securitySchemes: schemes } : {}),
      suggestions: [hint],
    },
  });
}

/** With these statuses, `Retry-After` says when another attempt may succeed. */
const retried: ReadonlySet<number> = new Set([403, 408, 425, 429, 503]);

function retryAfter({ status, headers }: ApiResponse): number | undefined {
  if (!retried.has(status)) return undefined;
  const told = retryAfterOf({ headers });
  if (told !== undefined || (status !== 403 && status !== 429)) return told;
  // Many APIs send when the limit is reset: as seconds since 1970, or as seconds from now.
  const reset = Number(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? Number.NaN);
  if (headers.get('x-ratelimit-remaining') !== '0' && status !== 429) return undefined;
  if (!Number.isFinite(reset) || reset < 0) return undefined;
  return reset > 1e9 ? Math.max(0, reset * 1_000 - Date.now()) : reset * 1_000;
}

interface Circumstances {
  readonly plan: RequestPlan;
  readonly schemes: readonly string[];
  readonly retryAfterMs: number | undefined;
}

function adviceFor(status: number, { plan, schemes, retryAfterMs }: Circumstances): string {
  const when = retryAfterMs === undefined ? 'later' : `in ${Math.max(1, Math.ceil(retryAfterMs / 1_000))} s`;
  const named = schemes.length === 0 ? '' : ` of ${schemes.map((name) => `"${name}"`).join(' and ')}`;
  if (status === 401)
    return schemes.length === 0
      ? 'The request had no credentials. A person must supply them.'
      : `The API rejected the credentials${named}. A person must renew them.`;
  if (status === 403 && retryAfterMs === undefined)
    return `The credentials${named} do not allow this.${describeScopes(plan, schemes)}`;
  if (status === 403 || status === 408 || status === 425 || status === 429) return `Try again ${when}.`;
  if (status === 404 || status === 410) return 'Look the name or id up first.';
  if (status === 405) return 'The API does not offer this operation there.';
  if (status === 409 || status === 412) return 'Read the current state first.';
  if (status === 413) return 'Send less data.';
  if (status >= 500 && status !== 501)
    return isSafe(plan.method) || status === 503
      ? `Try again ${when}.`
      : 'The call may have taken effect. Check before you try again.';
  if (status >= 400 && status < 500) return 'Correct the arguments and call again.';
  return 'The call has no result.';
}

function describeScopes({ security }: RequestPlan, schemes: readonly string[]): string {
  const scopes = security
    .flat()
    .filter(({ scheme }) => schemes.includes(scheme.id))
    .flatMap((required) => required.scopes);
  return scopes.length === 0 ? '' : ` They need ${[...new Set(scopes)].slice(0, 10).join(', ')}.`;
}

function describeBody(response: ApiResponse): string {
  const { bytes } = response;
  if (bytes.length === 0) return '';
  const mediaType = mediaTypeOf(response);
  const text = textIn(response);
  if (text === undefined) return '';
  if (/^(?:text\/html|application\/xhtml)/.test(mediaType) || /^\s*<(?:!doctype html|html)\b/i.test(text))
    return titleOf(text);
  const value = /^\s*[[{"]/.test(text) ? parseForeignJson(text) : undefined;
  if (value !== undefined) return flatten(messageIn(value) ?? textOf(value));
  return flatten(text);
}

/** Writes a value as JSON. An empty list or object yields no text. */
function textOf(value: unknown): string {
  const text = JSON.stringify(value);
  return text === '{}' || text === '[]' ? '' : text;
}

/** Puts text into one line without control characters. Cuts it to little more than is shown, because it is searched for credentials. */
function flatten(text: string): string {
  return text
    .slice(0, MAX_MESSAGE * 8)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** Returns only the title of an HTML page, because its text is written for people in a browser. */
function titleOf(html: string): string {
  const found = /<(title|h1)\b[^<>]{0,500}>([^<]{1,500})/i.exec(html.slice(0, 100_000));
  const title = flatten(found?.[2] ?? '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
  return title === '' ? 'an HTML page' : title;
}

/** Fields that hold a message, the most specific first. */
const messageFields = [
  'message',
  'detail',
  'error_description',
  'errorMessage',
  'error_message',
  'msg',
  'description',
  'reason',
  'faultstring',
];
const summaryFields = ['title', 'error', 'type', 'code', 'status'];
/** Fields that hold an error, or a list of problems. */
const innerFields = [
  'error',
  'errors',
  'fault',
  'detail',
  'details',
  'violations',
  'invalid-params',
  'invalid_params',
  'issues',
];

function messageIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value;
  if (depth > 3) return undefined;
  if (Array.isArray(value)) {
    const problems = value
      .slice(0, MAX_PROBLEMS)
      .flatMap((item: unknown) => describeProblem(item, depth) ?? []);
    const more = value.length - MAX_PROBLEMS;
    return problems.length === 0
      ? undefined
      : `${problems.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
  }
  if (!isJsonObject(value)) return undefined;
  const textAt = (field: string): string | undefined => {
    const text = value[field];
    return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined;
  };
  const message = messageFields.map(textAt).find((text) => text !== undefined);
  const title = textAt('title');
  const inner = innerFields
    .map((field) => (typeof value[field] === 'object' ? innerMessage(value[field], depth) : undefined))
    .find((text) => text !== undefined);
  const own = title !== undefined && message !== undefined ? `${title}: ${message}` : message;
  const main =
    own ?? (inner === undefined ? summaryFields.map(textAt).find((text) => text !== undefined) : undefined);
  if (main === undefined || inner === undefined) return main ?? inner;
  return main.includes(inner) ? main : `${main.replace(/[.:;]$/, '')}: ${inner}`;
}

/** Finds the message of an inner error. An object without one maps fields to their problems. */
function innerMessage(value: unknown, depth: number): string | undefined {
  const found = messageIn(value, depth + 1);
  if (found !== undefined || !isJsonObject(value)) return found;
  const problems = Object.entries(value)
    .slice(0, MAX_PROBLEMS)
    .flatMap(([field, problem]) => {
      const text = messageIn(problem, depth + 1);
      return text === undefined ? [] : [`${clip(field)}: ${text}`];
    });
  return problems.length === 0 ? undefined : problems.join('; ');
}

function describeProblem(problem: unknown, depth: number): string | undefined {
  const text = messageIn(problem, depth + 1);
  if (!isJsonObject(problem)) return text;
  const { field, path, pointer, name, param, parameter, loc, source } = problem;
  const places = [
    field,
    param,
    parameter,
    path,
    pointer,
    loc,
    name,
    isJsonObject(source) ? source['pointer'] : undefined,
  ];
  const place = places
    .map((each) => (Array.isArray(each) ? each.join('.') : each))
    .find((each) => typeof each === 'string' && each !== '');
  if (place === undefined) return text;
  return text === undefined ? undefined : `${clip(String(place))}: ${text}`;
}
