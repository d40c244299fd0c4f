import type { CallerAuth } from '../../callers/caller.js';
import { assertPageSize } from '../../views/pages.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { attach } from '../../registry/attach/attach.js';
import type { ViewSource } from '../../views/view.js';
import { withDefaultJsonLimits } from '../../values/json-limits.js';
import { Exposure } from '../../toolsets/exposure.js';
import type { OfferedView } from '../../toolsets/view-options.js';
import type { ToolsetConfig } from '../../toolsets/mode-config-mapper.js';
import { closeOnSignal } from '../node/close-on-signal.js';
import { assertStdioOptions } from '../http/handler-options.js';
import { assertSdk, loadSdk } from '../sdk.js';

/** How a registry is served on standard input and output. */
export interface ServeStdioOptions {
  /** What the caller sees; everything by default. */
  readonly view?: OfferedView;
  /** Toolsets beside what is registered. */
  readonly toolsets?: ToolsetConfig;
  /** Who the process at the other end is, and what it may do: `{ clientId, scopes }`. By default nobody is known. */
  readonly auth?: CallerAuth;
  /** How many entries a page of a list has; all by default. */
  readonly pageSize?: number;
  /** Milliseconds that calls get to finish when the client is done, or the process is asked to end. Default: 5,000. */
  readonly graceMs?: number;
  /** How deep the JSON of a message may be nested. Default: 100. */
  readonly maxDepth?: number;
  /** How many values (objects, arrays and what is in them) the JSON of a message may have. Default: 20,000. */
  readonly maxValues?: number;
  /** How many requests run at once. More requests wait until earlier answers are written. Default: 100. */
  readonly maxRequests?: number;
  /** Whether SIGINT and SIGTERM end it. Default: true. */
  readonly closeOnSignals?: boolean;
  /** Told what went wrong and is not for clients. */
  readonly onError?: (error: unknown) => void;
}

/** A server on standard input and output. */
export interface RunningStdio {
  /** Reads no more, lets calls finish within the grace time, and ends. */
  close(): Promise<void>;
  /**
   * Resolves when the connection has ended, for whatever reason: its calls are answered or aborted, so what they use can
   * be released. If an error was the reason, `onError` has it.
   */
  readonly ended: Promise<void>;
}

/** Serves a registry to the process that started this one, over standard input and output. */
export function serveStdio(registry: AnyRegistry, options: ServeStdioOptions = {}): RunningStdio {
  assertStdioOptions(options);
  assertSdk('Serving');
  const { view, toolsets, auth, pageSize, graceMs = 5_000, maxRequests = 100 } = options;
  const { closeOnSignals = true, onError } = options;
  const limits = withDefaultJsonLimits(options);
  // A mistake shows here, not in the first request.
  const exposure = new Exposure(registry, { view, toolsets, onError });
  assertPageSize(pageSize);
  const source = auth ? withAuth(exposure, auth) : exposure;
  const start = async () => {
    const [{ Server }, { serveStdio: serveSdk }, { StdioTransport }] = await Promise.all([
      loadSdk(),
      import('@modelcontextprotocol/server/stdio'),
      import('./stdio-transport.js'),
    ]);
    const transport = new StdioTransport({ graceMs, maxRequests, limits });
    const create = (): InstanceType<typeof Server> => {
      const { name, version, instructions } = registry;
      const server = new Server(
        { name, version },
        { capabilities: {}, ...(instructions === undefined ? {} : { instructions }) },
      );
      attach(registry, server, { view: source, pageSize });
      return server;
    };
    const handle = serveSdk(create, { transport, ...(onError ? { onerror: onError } : {}) });
    const drainAndClose = async (): Promise<void> => {
      await transport.drain();
      await handle.close();
    };
    void transport.inputEnded.then(drainAndClose);
    const ended = transport.ended.then(() => {
      exposure.close();
      forget();
    });
    return {
      ended,
      close: async () => {
        await drainAndClose();
        await ended;
      },
    };
  };
  const started = start();
  const close = async (): Promise<void> => (await started).close();
  const forget = closeOnSignals ? closeOnSignal(close, graceMs) : () => {};
  return { close, ended: started.then(({ ended }) => ended) };
}

/** Nobody at the other end of a pipe can prove anything; whoever starts the server knows who that is. */
function withAuth(source: ViewSource, auth: CallerAuth): ViewSource {
  return {
    viewFor: (request) => source.viewFor(request),
    complete: (request, http) => source.complete({ ...request, caller: { ...request.caller, auth } }, http),
  };
}
