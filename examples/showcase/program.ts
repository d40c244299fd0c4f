import { StartError } from './errors.js';
import { help, readOptions } from './options.js';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output: for people, or a line of JSON. Nothing with `--stdio`. */
  readonly print: (text: string) => void;
  /** Standard error: what happens. */
  readonly tell: (text: string) => void;
  /** Fulfilled when the process is asked to end. */
  readonly untilAskedToEnd: Promise<void>;
}

/** Runs until it is asked to end, and says what the process ends with. */
export async function run(argv: readonly string[], around: Surroundings): Promise<number> {
  try {
    const options = readOptions(argv);
    if (options.isHelp) around.print(help);
    // Loaded once it is known what to do, so that a mistake is answered at once.
    else await (await import('./serve.js')).serve(options, around);
    return 0;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    around.tell(error.message);
    return error.exitCode;
  }
}
