import { readFileSync } from 'node:fs';
import { ToolRegistry } from 'toolfold';
import type { Observe } from 'toolfold';
import type { SearchSidecar } from '@toolfold/search';
import { defineServer } from 'toolfold/node';
import type { Authenticator, ToolsetConfig } from 'toolfold/web';
import { asOwner, owner } from './access.js';
import type { Allowance, Form } from './choices.js';
import { addPrompts } from './prompts.js';
import { addResources } from './resources.js';
import type { Finance } from './finance.js';
import { createCatalog } from './toolsets/catalog.js';
import { overviewTool } from './toolsets/overview.js';

export interface ServerOptions {
  readonly form?: Form;
  /** The actions that code may call in the code form. Default: `read`. */
  readonly allow?: Allowance;
  /** Keys of the served toolsets. Default: all. */
  readonly toolsets?: readonly string[] | undefined;
  readonly isReadOnly?: boolean;
  readonly callsPerMinute?: number;
  readonly observe?: Observe | undefined;
  /** The callers over HTTP. Default: every client is the owner. */
  readonly auth?: Authenticator;
}

/** Describes the server, for the program, the `toolfold` command and the tests. */
export function createServer(finance: Finance, options: ServerOptions = {}) {
  const { form = 'grouped', allow = 'read', toolsets, isReadOnly = false } = options;
  const { callsPerMinute = 6_000, observe, auth = asOwner } = options;
  const registry = new ToolRegistry({
    name: 'finance',
    version: '1.0.0',
    instructions:
      'Personal finance. Amounts are decimal text such as "12.50" (not cents) in the currency of the budget; on transactions a ' +
      'negative amount is money out, in reports spent is positive. Fields for accounts, categories, payees and the like take a ' +
      'name (in any case) or an id; ids never change, and an unknown name is answered with the known ones. Calls without budget ' +
      'use the default budget. from and to are days, both included. Today and the current month are those of the time zone of ' +
      'the user (finance/overview shows it). Texts name actions as tool/action, such as transfers/make. Reports count uncleared and closed accounts too; transfers between own accounts ' +
      'and opening balances are neither income nor spending.',
    rateLimiter: { calls: callsPerMinute, windowMs: 60_000 },
    outputBudget: { tokens: 8_000 },
    ...(observe ? { observe } : {}),
  });
  registry.register(overviewTool(finance));
  addPrompts(registry, finance);
  addResources(registry, finance);
  const config: ToolsetConfig = {
    catalog: createCatalog(finance),
    startup: form === 'dynamic' ? { mode: 'DYNAMIC' } : { mode: 'STATIC', toolsets: toolsets ?? 'ALL' },
    exposurePolicy: { allowlist: toolsets, readOnly: isReadOnly },
  };
  const search = { sidecar: loadSearchWords() };
  const view = {
    search,
    ...(form === 'dynamic' ? {} : { form }),
    ...(form === 'code' ? { code: { allow } } : {}),
  };
  return defineServer({ registry, toolsets: config, view, http: { auth }, stdio: { auth: owner } });
}

/** The keywords of all actions, which `toolfold search draft` completes for new ones. */
export function loadSearchWords(): SearchSidecar {
  return JSON.parse(readFileSync(new URL('search.json', import.meta.url), 'utf8')) as SearchSidecar;
}
