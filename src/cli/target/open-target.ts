import { withDeadline } from '../terminal/deadline.js';
import { openModule } from './open-module.js';
import { openServer } from './open-server.js';
import type { OpenOptions, OpenTarget } from './opened-target.js';
import type { Target } from './read-target.js';

/** Opens a file, a URL or a command. The caller must close the result. */
export function openTarget(target: Target, options: OpenOptions): Promise<OpenTarget> {
  if (!('file' in target)) return openServer(target, options);
  const { file } = target;
  const { signal, timeoutMs, terminal } = options;
  const message = `${file} was not loaded within ${timeoutMs / 1_000} s. Raise the limit with --timeout.`;
  // A file may never finish loading, for example because it awaits a promise that does not settle.
  const loading = withDeadline({ timeoutMs, signal, message }, (deadline) =>
    openModule(file, { ...options, signal: deadline.signal }),
  );
  return terminal.withNotice(`loading ${file}`, loading);
}
