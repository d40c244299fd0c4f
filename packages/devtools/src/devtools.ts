import { resolve } from 'node:path';
import { lockCommand, LOCKFILE } from '@toolfold/analysis/internal';
import type { LoadedModule } from '@toolfold/analysis/internal';
import {
  addMounted,
  allowedToolsets,
  assertExposureOptions,
  assertRegistry,
  dynamicToolNames,
  internalsOf,
  observeCalls,
  readCatalog,
  readConfig,
  readStartup,
} from 'toolfold/internal';
import type { AnyRegistry, ToolRegistry } from 'toolfold';
import { anything, assertOptions, callback, flag, oneOf, text } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import type { OfferedView, ToolsetConfig } from 'toolfold/web';
import { createPage } from './load-page.js';
import type { PageSource } from './page-source.js';

/** Options of `devtools`. */
export interface DevtoolsOptions<App = unknown> {
  /** Port of the page on 127.0.0.1; 0 for any free port. Default: 4400, or any free port if it is taken. */
  readonly port?: number;
  /** Whether the page is served. Default: unless NODE_ENV is production. */
  readonly enabled?: boolean;
  /** The view that the server offers, as for `serveHttp`. Default: everything. */
  readonly view?: OfferedView | undefined;
  /** The toolsets of the server, as for `serveHttp`. Default: none. */
  readonly toolsets?: ToolsetConfig<App> | undefined;
  /** Whether callers see actions for which they lack a scope, as for `serveHttp`. Default: `challenge`. */
  readonly scopes?: 'challenge' | 'hide' | undefined;
  /**
   * The lockfile to compare with. The page shows the command that writes it, in which you replace `registry.ts` with the file that
   * exports your registry. Default: toolfold.lock.json in the current folder.
   */
  readonly lockfile?: string;
  /** Called with unexpected errors of the page's server. Default: they go to standard error. */
  readonly onError?: (error: unknown) => void;
}

/** The running page. */
export interface Devtools {
  /** The address to open, with the token that it needs; `undefined` if the page is off. */
  readonly url: string | undefined;
  /** Stops serving the page. */
  close(): Promise<void>;
}

const rules: Rules<keyof DevtoolsOptions> = {
  port: [
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
    'a whole number from 0 to 65535',
  ],
  enabled: flag,
  // Checked below, with their fields.
  view: anything,
  toolsets: anything,
  scopes: oneOf('challenge', 'hide'),
  lockfile: text,
  onError: callback,
};

/** Serves the page that shows a registry in a browser, for development. It is off in production unless `enabled` is true. */
export async function devtools<App>(
  registry: AnyRegistry<App>,
  options: DevtoolsOptions<NoInfer<App>> = {},
): Promise<Devtools> {
  assertRegistry('devtools', registry);
  assertOptions('devtools', options, rules);
  const { view, toolsets, scopes } = options;
  assertExposureOptions({ view, toolsets: toolsets as ToolsetConfig | undefined, scopes });
  if (toolsets) assertToolsets(registry as AnyRegistry, toolsets as ToolsetConfig);
  const { enabled = process.env['NODE_ENV'] !== 'production', port, onError = reportError } = options;
  if (!enabled) return { url: undefined, close: async () => {} };
  return createPage(createSource(registry as AnyRegistry as ToolRegistry, options), { port, onError });
}

/** Rejects mistakes in the catalog and in the names of toolsets, as a server does when it starts. */
function assertToolsets(registry: AnyRegistry, given: ToolsetConfig): void {
  const { tools } = internalsOf(registry);
  const config = readConfig(given);
  const { catalog, moduleLoaders, exposurePolicy, startup } = config;
  const read = readCatalog(catalog, moduleLoaders, {
    isNamespaced: exposurePolicy.namespaceToolsWithSetKey === true,
    reserved: startup.mode === 'DYNAMIC' ? dynamicToolNames : [],
  });
  const keys = [...addMounted(read, tools.toolsets).keys()];
  readStartup(config, keys, allowedToolsets(exposurePolicy, keys), () => {});
}

function createSource<App>(registry: ToolRegistry, options: DevtoolsOptions<App>): PageSource {
  const loaded: LoadedModule = {
    registry,
    found: 'registry',
    view: options.view,
    config: options.toolsets as ToolsetConfig | undefined,
    scopes: options.scopes,
  };
  const { lockfile = resolve(LOCKFILE) } = options;
  return {
    target: registry.name,
    canCall: true,
    lockfile,
    // The file that exports the registry is unknown here, so the command has the name that the guides use.
    lockCommand: lockCommand(['registry.ts'], options.lockfile),
    current: () => loaded,
    onChange: (listener) =>
      registry.onChange(({ kind }) => {
        if (kind !== 'resource') listener();
      }),
    observe: (listener) => observeCalls(internalsOf(registry), listener),
  };
}

function reportError(error: unknown): void {
  const { stack, message } = Object(error) as Partial<Error>;
  process.stderr.write(`toolfold devtools: ${stack ?? message ?? String(error)}\n`);
}
