import { StartError } from './errors.js';
import { help, readOptions } from './options.js';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output: text for people, or a line of JSON. Unused with `--stdio`. */
  readonly print: (text: string) => void;
  /** Standard error: the log. */
  readonly tell: (text: string) => void;
  /** Resolves when the process is asked to stop. */
  readonly untilAskedToEnd: Promise<void>;
}

/** Runs until it is asked to stop, and returns the exit code. */
export async function run(argv: readonly string[], around: Surroundings): Promise<number> {
  try {
    const options = readOptions(argv);
    if (options.isHelp) around.print(help);
    // Loaded after the options are parsed, so that a mistake is reported at once.
    else await (await import('./serve.js')).serve(options, around);
    return 0;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    around.tell(error.message);
    return error.exitCode;
  }
}
