import { CommandError, openLoaded } from '@toolfold/analysis/internal';
import type { CallHooks, OpenTarget, Selection } from '@toolfold/analysis/internal';
import type { CallerAuth } from 'toolfold';
import { emitFaults } from 'toolfold/internal';
import type { Exposure } from 'toolfold/web';
import { withDeadline } from '../terminal/deadline.js';
import { withSignals } from '../terminal/terminal.js';
import { loadModule } from './load-module.js';
import type { OpenOptions } from './open-options.js';
import { openServer } from './open-server.js';
import type { Target } from './read-target.js';
import { isSavedList, openSavedList } from './saved-list.js';
import { isSpecification, loadSpecification } from './specification.js';

type RequestOptions = Parameters<Exposure['viewFor']>[0];
type AskClient = NonNullable<RequestOptions['ask']>;

type ModuleOptions = Selection & Pick<OpenOptions, 'signal' | 'terminal'>;

/** Opens a file, a saved list, a URL or a command. The caller must close the result. */
export function openTarget(target: Target, options: OpenOptions): Promise<OpenTarget> {
  if (!('file' in target)) return openServer(target, options);
  const { file } = target;
  if (isSavedList(file)) return openSavedList(file, options);
  const { signal, timeoutMs, terminal } = options;
  const message = `${file} was not loaded within ${timeoutMs / 1_000} s. Raise the limit with --timeout.`;
  // A file may never finish loading, for example because it awaits a promise that never settles.
  const loading = withDeadline({ timeoutMs, signal, message }, (deadline) =>
    openModule(file, { ...options, signal: deadline.signal }),
  );
  return terminal.withNotice(`loading ${file}`, loading);
}

/** Closes the target when the work ends. A failure to close does not hide the result of the work. */
export async function whileOpen<T>(
  opening: Promise<OpenTarget>,
  work: (opened: OpenTarget) => T | Promise<T>,
): Promise<T> {
  const opened = await opening;
  try {
    return await work(opened);
  } finally {
    await opened.close().catch(() => undefined);
  }
}

/** Opens the target of a command. The work ends early at Ctrl-C. */
export function withTarget<T>(
  target: Target,
  options: Omit<OpenOptions, 'signal'>,
  work: (opened: OpenTarget, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withSignals(options.terminal.host, (signal) =>
    whileOpen(openTarget(target, { ...options, signal }), (opened) => work(opened, signal)),
  );
}

async function openModule(file: string, selection: ModuleOptions): Promise<OpenTarget> {
  const loaded = isSpecification(file)
    ? await loadSpecification(file, selection.terminal)
    : await loadModule(file, selection);
  const opened = await openLoaded(file, loaded, selection).catch((error: unknown) => {
    loaded.release();
    throw error;
  });
  return {
    ...opened,
    call: (call, hooks) => opened.run({ ...call, ...toOptions(hooks, loaded.server?.stdio.auth) }),
    close: async () => {
      loaded.release();
      opened.close();
    },
  };
}

/** `local` is the caller whom the server describes for stdio. */
function toOptions(
  { signal, scopes, onProgress, onLog, ask, onFault }: CallHooks,
  local: CallerAuth | undefined,
): RequestOptions {
  const auth = scopes.length > 0 ? { scopes } : local;
  const answer: AskClient = async (questions) => {
    const answers: Record<string, unknown> = {};
    for (const [key, { method, params }] of Object.entries(questions)) {
      if (method !== 'elicitation/create')
        throw new CommandError(`The tool sent a ${method} request, which the command line cannot answer.`);
      answers[key] = await ask(params);
    }
    return answers;
  };
  return {
    signal,
    caller: {
      capabilities: { elicitation: { form: {}, url: {} } },
      ...(auth ? { auth } : {}),
    },
    progress: async (progress, total, message) => onProgress({ progress, total, message }),
    log: async (level, data, logger) => onLog({ level, data, logger }),
    ask: answer,
    emit: onFault && emitFaults(onFault),
  };
}
