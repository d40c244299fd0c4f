import { toLine } from 'toolfold/internal';
import { Secrets } from './config/redact-secrets.js';
import type { Terminal } from '../terminal/terminal.js';

type Level = 'info' | 'warn' | 'error';

interface Notice {
  readonly level?: Level;
  /** The server that the message is about. */
  readonly server?: string;
}

const MAX_REMEMBERED = 10_000;
const MAX_LINE = 8_192;

export class Notices {
  readonly #terminal: Terminal;
  readonly #isJson: boolean;
  /** Replaces secrets, which errors of servers may contain. */
  readonly redact: (text: string) => string;
  readonly #said = new Set<string>();

  constructor(terminal: Terminal, isJson: boolean, secrets: Secrets = new Secrets()) {
    this.#terminal = terminal;
    this.#isJson = isJson;
    this.redact = secrets.redact;
  }

  say(message: string, { level = 'info', server }: Notice = {}): void {
    const line = this.redact(message);
    if (!this.#isJson) this.#terminal.notify(server === undefined ? line : `${toLine(server, 100)}: ${line}`);
    else this.#write({ level, server, message: line });
  }

  /** Reports a message only once, because lists are read again when they change. */
  once(message: string, notice: Notice = {}): void {
    const key = `${notice.server ?? ''}\n${message}`;
    if (this.#said.has(key)) return;
    // Bound the memory, because a server may produce any number of messages.
    if (this.#said.size >= MAX_REMEMBERED) this.#said.clear();
    this.#said.add(key);
    this.say(message, notice);
  }

  stderrOf(server: string | undefined): (text: string) => void {
    let rest = '';
    // The output of a single server needs no name.
    if (server === undefined && !this.#isJson) return (text) => this.#terminal.writeError(text);
    return (text) => {
      const lines = (rest + text).split('\n');
      rest = (lines.pop() ?? '').slice(-MAX_LINE);
      for (const line of lines) {
        if (line.trim() === '') continue;
        const shown = this.redact(line.slice(0, MAX_LINE));
        if (this.#isJson) this.#write({ level: 'info', server, stream: 'stderr', message: shown });
        else this.#terminal.printError(`${toLine(server ?? '', 100)}: ${shown}`);
      }
    };
  }

  #write(fields: Readonly<Record<string, string | undefined>>): void {
    this.#terminal.printError(JSON.stringify({ time: new Date().toISOString(), ...fields }));
  }
}
