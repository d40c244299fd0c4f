import type { Selection } from '@toolfold/analysis/internal';
import type { Terminal } from '../terminal/terminal.js';

type Protocol = 'auto' | '2025' | '2026';

export interface OpenOptions extends Selection {
  readonly terminal: Terminal;
  readonly protocol: Protocol;
  /** Milliseconds for connecting, for each list, and for a call without progress. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Default: the text is dropped, because error messages already include its end. */
  readonly onStderr?: (text: string) => void;
  /**
   * Whether to declare the client capabilities of `toolfold proxy`, because servers may list other tools for a client that answers
   * other questions. Default: false.
   */
  readonly isProxy?: boolean;
  /** Removes secrets from texts in error messages. Default: removes nothing. */
  readonly redact?: (text: string) => string;
}
