import type { CallerAuth } from 'toolfold';
import { assertRegistry } from 'toolfold/internal';
import type { DefinedServer } from 'toolfold/node';
import type { HandlerOptions, McpHandler, OfferedView } from 'toolfold/web';
import { anything, assertOptions, names, objectLike, oneOf, record } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import { assertAnswers } from './answers.js';
import type { TestAnswers } from './answers.js';

/** Configures the client that `createTestClient` connects, and the server that it creates for a registry. */
export interface TestClientOptions<App = unknown> {
  /** The protocol of the client: `2026` for 2026-07-28, `2025` for a client with a session. Default: `2026`. */
  readonly era?: '2025' | '2026';
  /**
   * The identity and scopes of the caller, as an application in front would verify them. The authentication of the server is then
   * skipped. Default: an anonymous caller.
   */
  readonly auth?: CallerAuth;
  /** The toolsets that the client selects, of those in `server.toolsets`. Default: the active ones. */
  readonly toolsets?: readonly string[];
  /** The form in which the client sees the tools. Default: the form of the server, else `grouped`. */
  readonly form?: NonNullable<OfferedView['form']>;
  /** How the client answers the questions of handlers. Default: every question fails its call. */
  readonly answers?: TestAnswers;
  /** Headers of every request, such as an API key. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Options of the server, as `createHandler` takes them. They replace those of a described server. Default: none. */
  readonly server?: HandlerOptions<App>;
}

const rules: Rules<keyof TestClientOptions> = {
  era: oneOf('2025', '2026'),
  auth: objectLike('{ clientId, scopes }'),
  toolsets: [names[0], 'a list of names; the configuration of toolsets belongs to server: { toolsets }'],
  form: oneOf('grouped', 'flat', 'search', 'code', 'auto'),
  // `assertTestOptions` checks it with its fields.
  answers: anything,
  headers: record('an object of texts'),
  // `createHandler` checks it.
  server: record('the options of createHandler'),
};

export function assertTestOptions(options: TestClientOptions<never>): void {
  assertOptions('createTestClient', options, rules);
  if (options.answers !== undefined) assertAnswers('createTestClient: answers', options.answers);
}

export function isServer(source: object): source is DefinedServer {
  return 'registry' in source && 'http' in source;
}

export function isHandler(source: object): source is McpHandler {
  return 'fetch' in source && typeof source.fetch === 'function';
}

export function assertSource(source: unknown): void {
  const { fetch } = Object(source) as Readonly<Record<string, unknown>>;
  if (typeof fetch === 'function') return;
  assertRegistry('createTestClient', isServer(Object(source)) ? (source as DefinedServer).registry : source);
}
