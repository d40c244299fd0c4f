import { createInterface } from 'node:readline/promises';
import { Interrupted, withSignals } from '../terminal/terminal.js';
import { UsageError } from '@toolfold/analysis/internal';
import type { Terminal } from '../terminal/terminal.js';
import { findNameProblem } from './project-name.js';
import type { Auth, ProjectChoices, Transport } from './render-template.js';

export const transports: readonly Transport[] = ['both', 'http', 'stdio'];
export const auths: readonly Auth[] = ['none', 'api-keys'];

/** The choices that the command line makes. The others are `undefined`. */
type GivenChoices = { readonly [K in keyof ProjectChoices]: ProjectChoices[K] | undefined };

/** Completes the choices: at a terminal by asking the user, otherwise with the defaults. */
export async function completeChoices(
  given: GivenChoices,
  defaultName: string,
  { terminal, usesDefaults }: { readonly terminal: Terminal; readonly usesDefaults: boolean },
): Promise<ProjectChoices> {
  const { name, transport, auth } = given;
  const isAuthOpen = auth === undefined && transport !== 'stdio';
  const isComplete = name !== undefined && transport !== undefined && !isAuthOpen;
  if (usesDefaults || isComplete)
    return { name: name ?? defaultName, transport: transport ?? 'both', auth: auth ?? 'none' };
  if (!terminal.isInteractive)
    throw new UsageError(
      'There is no terminal to ask questions at. Pass --yes for the defaults, or --name, --transport and --auth.',
    );
  return withSignals(terminal.host, (signal) => askFor(given, defaultName, terminal, signal));
}

async function askFor(
  given: GivenChoices,
  defaultName: string,
  { host }: Terminal,
  signal: AbortSignal,
): Promise<ProjectChoices> {
  const lines = createInterface({ input: host.stdin, output: host.stderr, terminal: true });
  const closed = new Promise<never>((_, reject) => {
    // In raw mode, Ctrl-C arrives as a key and sends no signal.
    lines.once('SIGINT', () => reject(new Interrupted('SIGINT')));
    lines.once('close', () => reject(new UsageError('No answer was given. Pass --yes for the defaults.')));
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  closed.catch(() => undefined);
  const ask = async <T extends string>(
    question: string,
    preset: T,
    findProblem: (answer: string) => string | undefined,
  ): Promise<T> => {
    for (;;) {
      const answer =
        (await Promise.race([lines.question(`${question} (${preset}) `), closed])).trim() || preset;
      const problem = findProblem(answer);
      if (problem === undefined) return answer as T;
      host.stderr.write(`  ${problem}\n`);
    }
  };
  try {
    const name = given.name ?? (await ask('Name of the package?', defaultName, findNameProblem));
    const transport =
      given.transport ??
      (await ask<Transport>(`Transports: ${transports.join(', ')}?`, 'both', oneOf(transports)));
    const auth =
      given.auth ??
      (transport === 'stdio'
        ? 'none'
        : await ask<Auth>(`Authentication over HTTP: ${auths.join(', ')}?`, 'none', oneOf(auths)));
    return { name, transport, auth };
  } finally {
    lines.close();
  }
}

function oneOf(allowed: readonly string[]): (answer: string) => string | undefined {
  return (answer) => (allowed.includes(answer) ? undefined : `Answer with ${allowed.join(' or ')}.`);
}
