import type { CallerAuth } from '../callers/caller.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import { assertRegistry } from '../registry/assert-registry.js';
import type { McpHandler } from '../serve/http/create-handler.js';
import type { HandlerOptions } from '../serve/http/handler-options.js';
import type { OfferedView } from '../toolsets/exposure-policy.js';
import { anything, assertOptions, names, oneOf, record } from '../values/options.js';
import type { Rules } from '../values/options.js';
import { assertAnswers } from './answers.js';
import type { TestAnswers } from './answers.js';

/** The options of `createTestClient`. */
export interface TestClientOptions<App = unknown> {
  /** The protocol of the client: `2026` for 2026-07-28, `2025` for a client with a session. Default: `2026`. */
  readonly era?: '2025' | '2026';
  /** The identity and scopes of the caller, as an application in front would verify them. Default: an anonymous caller. */
  readonly auth?: CallerAuth;
  /** The toolsets that the client selects, of those in `server.toolsets`. Default: the active ones. */
  readonly toolsets?: readonly string[];
  /** The form in which the client sees the tools. Default: the form of `server.view`, else `grouped`. */
  readonly form?: NonNullable<OfferedView['form']>;
  /** How the client answers the questions of handlers. Default: every question fails its call. */
  readonly answers?: TestAnswers;
  /** Headers of every request, such as an API key. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The options of the server, as `createHandler` and `serveHttp` take them. Default: none. */
  readonly server?: HandlerOptions<App>;
}

const rules: Rules<keyof TestClientOptions> = {
  era: oneOf('2025', '2026'),
  auth: record('{ clientId, scopes }'),
  toolsets: [names[0], 'a list of names; the configuration of toolsets belongs to server: { toolsets }'],
  form: oneOf('grouped', 'flat', 'search', 'code', 'auto'),
  // Checked below, with its fields.
  answers: anything,
  headers: record('an object of texts'),
  // Checked by createHandler.
  server: record('the options of createHandler'),
};

export function assertTestOptions(options: TestClientOptions<never>): void {
  assertOptions('createTestClient', options, rules);
  if (options.answers !== undefined) assertAnswers('createTestClient: answers', options.answers);
}

export function isHandler(source: AnyRegistry | McpHandler): source is McpHandler {
  return 'fetch' in source && typeof source.fetch === 'function';
}

/** Throws unless a test client can be connected to a value: a handler or a registry. */
export function assertSource(source: unknown): void {
  const { fetch } = Object(source) as Readonly<Record<string, unknown>>;
  if (typeof fetch !== 'function') assertRegistry('createTestClient', source);
}
