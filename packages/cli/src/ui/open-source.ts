import type { LoadedModule } from '@toolfold/analysis/internal';
import {
  assertKnown,
  findConfig,
  lockCommand,
  LOCKFILE,
  overrideView,
  UsageError,
} from '@toolfold/analysis/internal';
import { internalsOf, observeCalls } from 'toolfold/internal';
import type { PageSource } from '@toolfold/devtools/internal';
import { loadModule } from '../target/load-module.js';
import { describeTarget } from '../target/read-target.js';
import type { Target } from '../target/read-target.js';
import { isSavedList } from '../target/saved-list.js';
import { isSpecification, loadSpecification } from '../target/specification.js';
import { withDeadline } from '../terminal/deadline.js';
import { followServer } from './followed-server.js';
import { loadSavedList } from './saved-registry.js';
import type { ShownServer, SourceOptions } from './shown-server.js';

export interface OpenedSource {
  readonly source: PageSource;
  readonly close: () => Promise<void>;
}

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
      observe: (listener) => observeCalls(internalsOf(registry), listener),
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
  // From here on, the page runs until it is stopped, so an exit of the process is not the file's fault.
  release();
  return { loaded: offered(file, loaded, options) };
}

function offered(file: string, loaded: LoadedModule, options: SourceOptions): LoadedModule {
  const { form, profile, code, toolsets } = options;
  return {
    ...loaded,
    view: overrideView(loaded.view, { form, profile, code }),
    ...narrow(file, loaded, toolsets),
  };
}

function narrow(
  file: string,
  { config }: LoadedModule,
  chosen: readonly string[] | undefined,
): Pick<LoadedModule, 'config'> {
  if (!chosen) return {};
  if (!config) throw new UsageError(`--toolsets cannot be used: ${file} has no toolsets.`);
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

/** Returns command-line words that name a target. Omits the values of queries and headers, because they may contain credentials. */
function wordsOf(target: Target): readonly string[] {
  if ('command' in target) return ['--', target.command, ...target.args];
  const headers = 'url' in target ? Object.keys(target.headers ?? {}) : [];
  return [describeTarget(target), ...headers.flatMap((name) => ['--header', `${name}: …`])];
}
