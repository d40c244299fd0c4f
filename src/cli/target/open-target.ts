import { CommandError } from '../../analysis/command-error.js';
import { openLoaded } from '../../analysis/target/open-loaded.js';
import type { CallHooks, OpenTarget, Selection } from '../../analysis/target/opened-target.js';
import type { Exposure } from '../../web.js';
import { withDeadline } from '../terminal/deadline.js';
import { loadModule } from './load-module.js';
import type { OpenOptions } from './open-options.js';
import { openServer } from './open-server.js';
import type { Target } from './read-target.js';
import { isSavedList, openSavedList } from './saved-list.js';
import { isSpecification, loadSpecification } from './specification.js';

type RequestOptions = Parameters<Exposure['viewFor']>[0];
type AskClient = NonNullable<RequestOptions['ask']>;

type ModuleOptions = Selection & Pick<OpenOptions, 'signal' | 'terminal'>;

/** Opens a file, a saved list of tools, a URL or a command. The caller must close the result. */
export function openTarget(target: Target, options: OpenOptions): Promise<OpenTarget> {
  if (!('file' in target)) return openServer(target, options);
  const { file } = target;
  if (isSavedList(file)) return openSavedList(file, options);
  const { signal, timeoutMs, terminal } = options;
  const message = `${file} was not loaded within ${timeoutMs / 1_000} s. Raise the limit with --timeout.`;
  // A file may never finish loading, for example because it awaits a promise that does not settle.
  const loading = withDeadline({ timeoutMs, signal, message }, (deadline) =>
    openModule(file, { ...options, signal: deadline.signal }),
  );
  return terminal.withNotice(`loading ${file}`, loading);
}

/** Loads a file into this process, without serving it. */
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
    call: (call, hooks) => opened.run({ ...call, ...toOptions(hooks) }),
    close: async () => {
      loaded.release();
      opened.close();
    },
  };
}

/** The request options of a call whose caller is the person at the terminal. */
function toOptions({ signal, scopes, onProgress, onLog, ask, onFault }: CallHooks): RequestOptions {
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
      ...(scopes.length > 0 ? { auth: { scopes } } : {}),
    },
    progress: async (progress, total, message) => onProgress({ progress, total, message }),
    log: async (level, data, logger) => onLog({ level, data, logger }),
    ask: answer,
    onFault: (error) => onFault?.(error),
  };
}
