import { currentToken } from '../api/token.js';
import { encodeBase64 } from './base64.js';
import type { Form, PageCaller, ShownProfile } from '../../../src/page-api.js';

/** 2026 clients send independent requests, 2025 clients have sessions. */
export type Era = '2026' | '2025';

export const revisions: Readonly<Record<Era, string>> = { 2026: '2026-07-28', 2025: '2025-11-25' };

/** Address of the page's endpoint, and the caller to impersonate. */
export interface Endpoint {
  readonly form: Form;
  readonly profile: ShownProfile;
  readonly era: Era;
  readonly caller?: PageCaller | undefined;
}

export function pathOf({ form, profile }: Pick<Endpoint, 'form' | 'profile'>): string {
  return `/mcp/${form}/${profile}`;
}

export function headersFor({ caller }: Pick<Endpoint, 'caller'>): Readonly<Record<string, string>> {
  return {
    'x-toolfold-token': currentToken(),
    ...(caller === undefined ? {} : { 'x-toolfold-caller': encodeCaller(caller) }),
  };
}

/** Encodes the caller as JSON in base64url. */
export function encodeCaller(caller: PageCaller): string {
  return encodeBase64(new TextEncoder().encode(JSON.stringify(caller)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
