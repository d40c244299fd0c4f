import type { LoadedModule } from '../../analysis/target/loaded-module.js';
import { LOCKFILE } from '../../analysis/diff/lockfile.js';
import { lockCommand } from '../../analysis/lock-command.js';
import { UsageError } from '../../analysis/command-error.js';
import { findConfig } from '../../analysis/lint/lint-settings.js';
import { assertKnown } from '../../analysis/target/assert-known.js';
import { observeCalls } from '../../engine/trace/call-listeners.js';
import type { PageSource } from '../../devtools/page-source.js';
import { loadModule } from '../target/load-module.js';
import { describeTarget } from '../target/read-target.js';
import type { Target } from '../target/read-target.js';
import { isSavedList } from '../target/saved-list.js';
import { isSpecification, loadSpecification } from '../target/specification.js';
import { withDeadline } from '../terminal/deadline.js';
import { followServer } from './followed-server.js';
import { loadSavedList } from './saved-registry.js';
import type { ShownServer, SourceOptions } from './shown-server.js';

/** A server that the page shows, until it is closed. */
export interface OpenedSource {
  readonly source: PageSource;
  readonly close: () => Promise<void>;
}

/** Opens a file, a saved list, a specification, a URL or a command for the page. */
export async function openSource(target: Target, options: SourceOptions): Promise<OpenedSource> {
  const shown = await openShown(target, options);
  const { loaded, canCall = true, redact, upstream, problem, onProblem, close } = shown;
  const { registry } = loaded;
  const { lockfile = LOCKFILE } = options;
  const words = wordsOf(target);
  return {
    source: {
      target: describeTarget(target),
      words,
      canCall,
      isForwarded: !('file' in target),
      lockfile,
      lockCommand: lockCommand(words, lockfile),
      lintConfig: findConfig('file' in target ? target.file : undefined),
      current: () => loaded,
      ...(redact ? { redact } : {}),
      ...(upstream ? { upstream } : {}),
      ...(problem ? { problem } : {}),
      onChange: (listener) => {
        const onChange = registry.onChange(({ kind }) => {
          if (kind !== 'resource') listener();
        });
        const ends = [onChange, onProblem?.(listener)];
        return () => ends.forEach((end) => end?.());
      },
      observe: (listener) => observeCalls(registry, listener),
    },
    close: async () => close?.(),
  };
}

async function openShown(target: Target, options: SourceOptions): Promise<ShownServer> {
  if (!('file' in target)) return followServer(target, options);
  const { file } = target;
  const { terminal, signal, timeoutMs } = options;
  if (isSavedList(file)) return loadSavedList(file, options);
  const message = `${file} was not loaded within ${timeoutMs / 1_000} s. Raise the limit with --timeout.`;
  const loading = withDeadline({ timeoutMs, signal, message }, (deadline) =>
    isSpecification(file)
      ? loadSpecification(file, terminal, options.specification)
      : loadModule(file, { terminal, signal: deadline.signal }),
  );
  const { release, ...loaded } = await terminal.withNotice(`loading ${file}`, loading);
  // From here on, the page goes on until it is stopped, so an exit of the process is no fault of the file.
  release();
  return { loaded: offered(file, loaded, options) };
}

/** A file with the view that the command line chose. */
function offered(file: string, loaded: LoadedModule, options: SourceOptions): LoadedModule {
  const { form, profile, code, toolsets } = options;
  const own = loaded.exposure ? 'an Exposure' : loaded.toolsets ? 'Toolsets' : undefined;
  const [chosen] =
    Object.entries({ form, profile, 'code-allow': code, toolsets }).find(([, value]) => value) ?? [];
  if (own !== undefined && chosen !== undefined)
    throw new UsageError(`--${chosen} cannot be used: ${file} exports ${own}, which decides about it.`);
  return {
    ...loaded,
    ...(own === undefined ? { view: { form, profile, code } } : {}),
    ...narrow(file, loaded, toolsets),
  };
}

/** The chosen toolsets of a file. */
function narrow(
  file: string,
  { config }: LoadedModule,
  chosen: readonly string[] | undefined,
): Pick<LoadedModule, 'config'> {
  if (!chosen) return {};
  if (!config)
    throw new UsageError(
      `--toolsets cannot be used: ${file} has no toolsets. Export a ToolsetConfig beside the registry.`,
    );
  for (const key of chosen) assertKnown('toolset', key, Object.keys(config.catalog));
  const { exposurePolicy, startup } = config;
  const { toolsets } = startup;
  return {
    config: {
      ...config,
      startup: Array.isArray(toolsets)
        ? { ...startup, toolsets: toolsets.filter((key: string) => chosen.includes(key)) }
        : startup,
      exposurePolicy: { ...exposurePolicy, allowlist: chosen },
    },
  };
}

/** The words of a command line that name a target. Queries and headers may hold credentials, so their values are left out. */
function wordsOf(target: Target): readonly string[] {
  if ('command' in target) return ['--', target.command, ...target.args];
  const headers = 'url' in target ? Object.keys(target.headers ?? {}) : [];
  return [describeTarget(target), ...headers.flatMap((name) => ['--header', `${name}: …`])];
}
