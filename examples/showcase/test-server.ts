/** Seeded books in memory with a fixed clock, and callers that use the server like clients. */
import type { AskClient, CallToolResult, ExecuteRequest } from 'toolfold';
import { Exposure } from 'toolfold/web';
import { owner } from './access.js';
import type { Database } from './database/database.js';
import { openInMemory } from './database/test-databases.js';
import { createFinance } from './finance.js';
import type { Finance } from './finance.js';
import { seedBooks } from './seed/seed.js';
import { createServer } from './server.js';
import type { ServerOptions } from './server.js';

/** The user allows every call that asks. */
export const allowAll: AskClient = async (questions) =>
  Object.fromEntries(
    Object.keys(questions).map((key) => [key, { action: 'accept', content: { allow: true } }]),
  );

/** Half past midnight in Berlin, the day before elsewhere. */
const now = new Date('2026-03-15T23:30:00Z');

export interface TestBooks {
  readonly db: Database;
  readonly finance: Finance;
  connect(options?: ServerOptions, scopes?: readonly string[]): TestCaller;
  close(): Promise<void>;
}

export interface TestCaller extends Pick<ReturnType<typeof createServer>, 'registry'> {
  list(): Promise<
    readonly {
      readonly name: string;
      readonly description?: string;
      readonly inputSchema: Readonly<Record<string, unknown>>;
      readonly annotations?: { readonly readOnlyHint?: boolean };
    }[]
  >;
  call(name: string, args?: Record<string, unknown>, more?: Partial<ExecuteRequest>): Promise<CallToolResult>;
  /** The text of the answer, also of a failed call. */
  ask(name: string, action: string, args?: Record<string, unknown>): Promise<string>;
}

export async function openTestBooks(): Promise<TestBooks> {
  const db = await openInMemory('seeded', (empty) => seedBooks(empty, { now, timeZone: 'Europe/Berlin' }));
  const finance = createFinance(db, () => now);
  return {
    db,
    finance,
    close: () => db.close(),
    connect: (options = {}, scopes = owner.scopes) => {
      const { registry, http } = createServer(finance, options);
      const { toolsets, view } = http;
      const exposure = new Exposure(registry, { toolsets, view });
      const caller = { auth: { clientId: 'test', scopes } };
      const call: TestCaller['call'] = async (name, args = {}, more = {}) =>
        registry.executeTool(
          { name, arguments: args, caller, ask: allowAll, ...more },
          await exposure.viewFor({ caller }),
        );
      return {
        registry,
        list: async () => (await exposure.viewFor({ caller })).listTools(),
        call,
        ask: async (name, action, args = {}) => textOf(await call(name, { action, ...args })),
      };
    },
  };
}

export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}
