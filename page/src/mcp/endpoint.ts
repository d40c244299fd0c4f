import { currentToken } from '../api/token.js';
import { encodeBase64 } from './base64.js';
import type { Form, PageCaller, ShownProfile } from '../../../src/devtools/page-api.js';

/** The two kinds of clients: those that send every request on its own, and those with sessions. */
export type Era = '2026' | '2025';

export const revisions: Readonly<Record<Era, string>> = { 2026: '2026-07-28', 2025: '2025-11-25' };

/** Where and as whom the page calls. */
export interface Endpoint {
  readonly form: Form;
  readonly profile: ShownProfile;
  readonly era: Era;
  readonly caller?: PageCaller | undefined;
}

export function pathOf({ form, profile }: Pick<Endpoint, 'form' | 'profile'>): string {
  return `/mcp/${form}/${profile}`;
}

/** The headers that the page's server asks for. */
export function headersFor({ caller }: Pick<Endpoint, 'caller'>): Readonly<Record<string, string>> {
  return {
    'x-toolfold-token': currentToken(),
    ...(caller === undefined ? {} : { 'x-toolfold-caller': encodeCaller(caller) }),
  };
}

/** The caller as JSON in base64url. */
export function encodeCaller(caller: PageCaller): string {
  return encodeBase64(new TextEncoder().encode(JSON.stringify(caller)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
