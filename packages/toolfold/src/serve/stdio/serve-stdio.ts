import type { CallerAuth } from '../../callers/caller.js';
import { createFaultReporter } from '../../engine/fault-report.js';
import { assertPageSize } from '../../views/lists.js';
import { internalsOf } from '../../registry/any-registry.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { assertRegistry } from '../../registry/assert-registry.js';
import { attach } from '../../registry/attach/attach.js';
import { listenedUris, SubscribedResources } from '../../registry/watch/subscribed-resources.js';
import type { ViewSource } from '../../views/view.js';
import { withDefaultJsonLimits } from '@toolfold/schema/internal';
import { Exposure } from '../../toolsets/exposure.js';
import { closeOnSignal } from '../node/close-on-signal.js';
import { assertStdioOptions } from '../http/handler-options.js';
import type { OfferOptions } from '../http/handler-options.js';
import { assertSdk, loadSdk } from '../sdk.js';
import { protectStdout } from './protect-stdout.js';

/** Passed to `serveStdio`: what the client gets, who it is, and within which limits it is served. */
export interface ServeStdioOptions<App = unknown> extends OfferOptions<App> {
  /** The identity and scopes of the client: `{ clientId, scopes }`. Default: an anonymous client without scopes. */
  readonly auth?: CallerAuth;
  /** Milliseconds that calls have to finish after the client disconnects or the process gets a signal. Default: 5,000. */
  readonly graceMs?: number;
  /** The most requests that run at once. Further requests wait until earlier answers are written. Default: 100. */
  readonly maxRequests?: number;
  /** Whether SIGINT and SIGTERM close the server. Default: true. */
  readonly closeOnSignals?: boolean;
}

/** Controls a server that `serveStdio` has started. */
export interface RunningStdio {
  /** Stops reading, lets calls finish within `graceMs`, and ends the connection. */
  close(): Promise<void>;
  /**
   * Resolves when the connection has ended and its calls are answered or aborted, so that their resources can be released.
   * If an error ended the connection, `onError` got it.
   */
  readonly ended: Promise<void>;
}

/** Serves a registry to the process that started this one, over standard input and output. */
export function serveStdio<App>(
  registry: AnyRegistry<App>,
  options: ServeStdioOptions<NoInfer<App>> = {},
): RunningStdio {
  assertRegistry('serveStdio', registry);
  assertStdioOptions(options);
  assertSdk('Serving');
  const {
    view,
    toolsets,
    scopes = 'challenge',
    auth,
    pageSize,
    graceMs = 5_000,
    maxRequests = 100,
  } = options;
  const { closeOnSignals = true, onError } = options;
  const limits = withDefaultJsonLimits(options);
  const report = createFaultReporter(onError);
  // Created here, so that an invalid option throws now and not in the first request.
  const exposure = options.exposure ?? new Exposure(registry, { view, toolsets, scopes, onError: report });
  assertPageSize(pageSize);
  exposure.start();
  const source = auth ? withAuth(exposure, auth) : exposure;
  const stdout = protectStdout();
  const onListen = (params: unknown): (() => void) => {
    const subscribed = new SubscribedResources();
    const { session } = source.complete({});
    subscribed.sync(listenedUris(params), (uri) =>
      internalsOf(registry).watchResource(uri, { session, onError: report }),
    );
    return () => subscribed.close();
  };
  const start = async () => {
    await exposure.ready();
    const [{ Server }, { serveStdio: serveSdk }, { StdioTransport }] = await Promise.all([
      loadSdk(),
      import('@modelcontextprotocol/server/stdio'),
      import('./stdio-transport.js'),
    ]);
    const transport = new StdioTransport({ graceMs, maxRequests, limits, write: stdout.write, onListen });
    const create = (): InstanceType<typeof Server> => {
      const { name, version, instructions } = registry;
      const server = new Server(
        { name, version },
        { capabilities: {}, ...(instructions === undefined ? {} : { instructions }) },
      );
      attach(registry, server, { view: source, pageSize, onFault: report });
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
      stdout.restore();
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

/** Adds an identity to every request, because a client at the end of a pipe cannot prove its own. */
function withAuth(source: ViewSource, auth: CallerAuth): ViewSource {
  return {
    viewFor: (request) => source.viewFor(request),
    complete: (request, http) => source.complete({ ...request, caller: { ...request.caller, auth } }, http),
  };
}
