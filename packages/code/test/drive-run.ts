import { defaultCodeLimits } from '../src/sandbox/sandbox.js';
import type {
  CodeLimits,
  GuestCall,
  RunFailure,
  Sandbox,
  SandboxRun,
  SandboxStep,
  SettledCall,
} from '../src/sandbox/sandbox.js';

export type AnswerCall = (call: GuestCall) => SettledCall;

interface FinishedRun {
  readonly calls: readonly GuestCall[];
  readonly logs: readonly string[];
  readonly last: SandboxStep;
}

export const value = (id: number, given: unknown): SettledCall => ({ id, value: JSON.stringify(given) });

/** Answers each call with its argument. */
export const echo: AnswerCall = ({ id, input }) => ({ id, value: input });

/** Advances a run until it ends. */
export async function finish(run: SandboxRun, answer: AnswerCall = echo): Promise<FinishedRun> {
  const calls: GuestCall[] = [];
  const logs: string[] = [];
  let last = await run.advance([]);
  for (;;) {
    calls.push(...last.calls);
    logs.push(...last.logs);
    if (last.outcome) return { calls, logs, last };
    last = await run.advance(last.calls.map(answer));
  }
}

export function start(
  sandbox: Sandbox,
  code: string,
  { limits = {}, owner = 'alice', signal = new AbortController().signal }: StartOptions = {},
): Promise<SandboxRun> {
  return sandbox.start(code, { limits: limitsWith(limits), owner, signal });
}

interface StartOptions {
  readonly limits?: Partial<CodeLimits>;
  readonly owner?: string;
  readonly signal?: AbortSignal;
}

export const limitsWith = (limits: Partial<CodeLimits>): CodeLimits => ({ ...defaultCodeLimits, ...limits });

interface DriveOptions extends StartOptions {
  readonly answer?: AnswerCall;
}

export class Driver {
  readonly sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
  }

  async run(code: string, options: DriveOptions = {}): Promise<FinishedRun> {
    return finish(await start(this.sandbox, code, options), options.answer);
  }

  async resultOf(code: string, options?: DriveOptions): Promise<unknown> {
    const { outcome } = (await this.run(code, options)).last;
    if (outcome === undefined || 'failure' in outcome) throw new Error(JSON.stringify(outcome));
    return outcome.value === undefined ? undefined : (JSON.parse(outcome.value) as unknown);
  }

  async failureOf(code: string, options?: DriveOptions): Promise<RunFailure> {
    const { outcome } = (await this.run(code, options)).last;
    if (outcome === undefined || 'value' in outcome) throw new Error(JSON.stringify(outcome));
    return outcome.failure;
  }
}
