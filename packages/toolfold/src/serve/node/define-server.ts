import { anything, assertOptions, assertPlain } from '@toolfold/schema/internal';
import type { AnyRegistry, AppOf } from '../../registry/any-registry.js';
import { assertRegistry } from '../../registry/assert-registry.js';
import { assertExposureOptions } from '../../toolsets/toolset-config.js';
import type { ToolsetConfig } from '../../toolsets/toolset-config.js';
import { assertServerOptions, assertStdioOptions, offerRules } from '../http/handler-options.js';
import type { OfferOptions } from '../http/handler-options.js';
import type { ServeStdioOptions } from '../stdio/serve-stdio.js';
import type { ServeHttpOptions } from './serve-http.js';

/** Passed to `defineServer`: a registry, what clients see of it over both transports, and the options of each transport. */
export interface ServerDescription<R extends AnyRegistry = AnyRegistry> extends OfferOptions<AppOf<R>> {
  /** The tools, prompts and resources of the server. */
  readonly registry: R;
  /** Further options of `serveHttp`, such as `auth` and `port`. Default: none. */
  readonly http?: Omit<ServeHttpOptions<AppOf<R>>, keyof OfferOptions>;
  /** Further options of `serveStdio`, such as `auth`. Default: none. */
  readonly stdio?: Omit<ServeStdioOptions<AppOf<R>>, keyof OfferOptions>;
}

/** A described server: a registry, and the complete options of `serveHttp` and `serveStdio`. */
export interface DefinedServer<R extends AnyRegistry = AnyRegistry> {
  /** The tools, prompts and resources of the server. */
  readonly registry: R;
  /** For `serveHttp(server.registry, server.http)`. */
  readonly http: ServeHttpOptions<AppOf<R>>;
  /** For `serveStdio(server.registry, server.stdio)`. */
  readonly stdio: ServeStdioOptions<AppOf<R>>;
}

/**
 * Describes a server once. Export the result as default: the `toolfold` command serves and checks it, `createTestClient` tests it, and
 * `serveHttp` and `serveStdio` take its parts.
 */
export function defineServer<R extends AnyRegistry>(description: ServerDescription<R>): DefinedServer<R> {
  assertOptions('defineServer', description, {
    ...offerRules,
    registry: anything,
    http: anything,
    stdio: anything,
  });
  const { registry, http = {}, stdio = {}, ...offer } = description;
  assertRegistry('defineServer', registry);
  assertPlain('defineServer: http', http);
  assertPlain('defineServer: stdio', stdio);
  const { view, toolsets, scopes } = offer;
  assertExposureOptions({ view, toolsets: toolsets as ToolsetConfig | undefined, scopes });
  const server = { registry, http: { ...offer, ...http }, stdio: { ...offer, ...stdio } };
  assertServerOptions(server.http);
  assertStdioOptions(server.stdio);
  return server as DefinedServer<R>;
}
