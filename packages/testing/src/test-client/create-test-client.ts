import type { Client } from '@modelcontextprotocol/client';
import { invalidOption } from '@toolfold/schema/internal';
import type { AnyRegistry } from 'toolfold';
import type { AppOf } from 'toolfold/internal';
import type { DefinedServer } from 'toolfold/node';
import { createHandler } from 'toolfold/web';
import type { McpHandler } from 'toolfold/web';
import { packageVersion, toHandlerOptions } from 'toolfold/internal';
import { capabilitiesFor, ScriptedAnswers } from './answers.js';
import { MemoryLink } from './memory-link.js';
import { assertSource, assertTestOptions, isHandler, isServer } from './options.js';
import type { TestClientOptions } from './options.js';
import { ConnectedTestClient } from './test-client.js';
import type { TestClient } from './typed-client.js';

/** Nothing listens at this address: the client's `fetch` goes to the handler. */
const ADDRESS = 'http://localhost/mcp';
const modes = { 2025: 'legacy', 2026: { pin: '2026-07-28' } } as const;

/** The registry of a described server, otherwise the type itself. */
type RegistryOf<S> = S extends DefinedServer<infer R> ? R : S;

/** Connects the official MCP client to a server, a registry or a handler in the same process. */
export async function createTestClient<const S extends AnyRegistry | DefinedServer | McpHandler>(
  source: S,
  options: TestClientOptions<AppOf<RegistryOf<S>>> = {},
): Promise<TestClient<RegistryOf<S>>> {
  assertSource(source);
  assertTestOptions(options);
  const { era = '2026', answers: given = {} } = options;
  const sdk = await import('@modelcontextprotocol/client');
  const errors: unknown[] = [];
  const { handler, registry, close } = open(source, options as TestClientOptions, errors);
  const answers = new ScriptedAnswers(given);
  const capabilities = capabilitiesFor(given);
  const calls = new Map();
  const link = new MemoryLink(handler, {
    auth: authOf(options),
    headers: headersOf(options),
    answers,
    calls,
    createError: (code, message, data) => new sdk.ProtocolError(code, message, data),
  });
  const client: Client = new sdk.Client(
    { name: 'toolfold-test', version: packageVersion },
    { capabilities, versionNegotiation: { mode: modes[era] } },
  );
  const connected = new ConnectedTestClient({
    client,
    era,
    capabilities,
    answers,
    calls,
    registry,
    errors,
    close,
  });
  try {
    await handler.edge.exposure.ready();
    await client.connect(new sdk.StreamableHTTPClientTransport(new URL(ADDRESS), { fetch: link.fetch }));
    await connected.requestLogs();
  } catch (error) {
    await close();
    throw explain(error, link);
  }
  return connected as unknown as TestClient<RegistryOf<S>>;
}

/** Names the response that kept the client from connecting, which the official client does not repeat. */
function explain(error: unknown, { rejected }: MemoryLink): unknown {
  if (!rejected) return error;
  const [, quoted] = /"message":("(?:[^"\\]|\\.)*")/.exec(rejected.text) ?? [];
  const reason = quoted === undefined ? rejected.text : String(JSON.parse(quoted));
  return new Error(`The server rejected the test client with status ${rejected.status}: ${reason}`, {
    cause: error,
  });
}

interface OpenSource {
  readonly handler: McpHandler;
  readonly registry: AnyRegistry | undefined;
  readonly close: () => Promise<void>;
}

/** Creates the handler of a registry. A handler that the test passes stays open, because other clients may use it. */
function open(
  source: AnyRegistry | DefinedServer | McpHandler,
  { form, server: changed = {} }: TestClientOptions,
  errors: unknown[],
): OpenSource {
  if (isHandler(source)) {
    if (form !== undefined || Object.keys(changed).length > 0)
      throw invalidOption(
        'createTestClient: form and server',
        'left out for a handler, which has its own options',
      );
    return { handler: source, registry: undefined, close: async () => {} };
  }
  const registry = isServer(source) ? source.registry : source;
  const server = { ...(isServer(source) ? toHandlerOptions(source.http) : {}), ...changed };
  const handler = createHandler(registry, {
    // A test may send more requests in a minute than a client.
    requestLimit: false,
    ...server,
    ...(form === undefined ? {} : { view: { ...server.view, form } }),
    onError: (error) => {
      errors.push(error);
      server.onError?.(error);
    },
  });
  return { handler, registry, close: () => handler.close() };
}

type AuthInfo = NonNullable<NonNullable<Parameters<McpHandler['fetch']>[1]>['authInfo']>;

function authOf({ auth }: Pick<TestClientOptions, 'auth'>): AuthInfo | undefined {
  if (auth === undefined) return undefined;
  return { clientId: 'test', scopes: [], ...auth } as unknown as AuthInfo;
}

function headersOf({
  headers = {},
  toolsets,
}: Pick<TestClientOptions, 'headers' | 'toolsets'>): Readonly<Record<string, string>> {
  return { ...headers, ...(toolsets ? { 'x-mcp-toolsets': toolsets.join(',') } : {}) };
}
