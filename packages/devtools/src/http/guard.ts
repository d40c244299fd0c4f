import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface Refusal {
  readonly status: 401 | 403 | 421;
  readonly message: string;
  readonly hint?: string;
}

const loopback = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/**
 * Rejects requests that do not come from the page itself. `Host` must name this machine, because an attacker's domain may resolve
 * to it (DNS rebinding). Pages of other origins reveal themselves by `Origin` or `Sec-Fetch-Site`.
 */
export function refuseForeign(request: IncomingMessage): Refusal | undefined {
  const { headers } = request;
  const { host = '', origin } = headers;
  const site = headers['sec-fetch-site'];
  if (!loopback.test(host))
    return {
      status: 421,
      message: 'This server answers only under the name of this machine.',
      hint: 'Open it at 127.0.0.1.',
    };
  const isForeign =
    (origin !== undefined && origin !== `http://${host}`) ||
    (site !== undefined && site !== 'same-origin' && site !== 'none');
  if (isForeign && !isLink(request))
    return { status: 403, message: 'Pages of other origins have no access.' };
  return undefined;
}

/**
 * Whether a user follows a link to the page, such as the file through which `toolfold ui` opens the browser. This is safe, because
 * the document is the same for everybody, holds no secret, and is unreadable for other pages.
 */
function isLink({ method, url, headers }: IncomingMessage): boolean {
  const { origin } = headers;
  return (
    (method === 'GET' || method === 'HEAD') &&
    url === '/' &&
    origin === undefined &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}

/** Rejects requests without the page's token. */
export function refuseStranger({ headers }: IncomingMessage, token: string): Refusal | undefined {
  const sent = Buffer.from(String(headers['x-toolfold-token'] ?? ''));
  const wanted = Buffer.from(token);
  if (sent.length === wanted.length && timingSafeEqual(sent, wanted)) return undefined;
  return {
    status: 401,
    message: 'The address of the page has no valid token.',
    hint: 'Open the address that the server printed when it started.',
  };
}

/** Headers of every answer. They allow only the page's own scripts and styles, so that text cannot become markup. */
export const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src data:; " +
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;
