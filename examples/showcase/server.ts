import { ToolRegistry } from 'toolfold';
import type { Observe } from 'toolfold';
import type { ToolsetConfig } from 'toolfold/web';
import type { Form } from './choices.js';
import { addPrompts } from './prompts.js';
import { addResources } from './resources.js';
import type { Finance } from './finance.js';
import { createCatalog } from './toolsets/catalog.js';
import { overviewTool } from './toolsets/overview.js';

export interface ServerOptions {
  readonly form?: Form;
  /** Keys of the served toolsets. Default: all. */
  readonly toolsets?: readonly string[] | undefined;
  readonly isReadOnly?: boolean;
  readonly callsPerMinute?: number;
  readonly observe?: Observe | undefined;
}

/** The registry and its options, for `serveHttp` and `serveStdio`. */
export function createServer(finance: Finance, options: ServerOptions = {}) {
  const { form = 'grouped', toolsets, isReadOnly = false, callsPerMinute = 6_000, observe } = options;
  const registry = new ToolRegistry({
    name: 'finance',
    version: '1.0.0',
    instructions:
      'Personal finance. Amounts are text such as "12.50", in the currency of the budget. Things are named by their name ' +
      'or id. Where no budget is named, the default one is meant; where no date is given, today in the time zone of the user.',
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
  return { registry, toolsets: config, view: form === 'dynamic' ? {} : { form } };
}
