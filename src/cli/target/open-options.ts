import type { Selection } from '../../analysis/target/opened-target.js';
import type { Terminal } from '../terminal/terminal.js';

type Protocol = 'auto' | '2025' | '2026';

export interface OpenOptions extends Selection {
  readonly terminal: Terminal;
  readonly protocol: Protocol;
  /** Milliseconds for connecting, for each list, and for a call without progress. */
  readonly timeoutMs: number;
  /** Cancels everything that is in progress. */
  readonly signal: AbortSignal;
  readonly onStderr: (text: string) => void;
  /**
   * Whether to introduce itself to a running server as `toolfold proxy` does. Servers may list other tools for a client that
   * answers other questions. Default: false.
   */
  readonly isProxy?: boolean;
  /** Removes secrets from the texts that error messages repeat. Default: nothing is removed. */
  readonly redact?: (text: string) => string;
}
