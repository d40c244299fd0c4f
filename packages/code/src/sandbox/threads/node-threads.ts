import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Thread, ThreadAnswer, ThreadEvents } from './messages.js';
import { readCpuMs } from './thread-cpu.js';

export const hasThreads = true;

/** Limits V8 in a thread. The memory of the guest is outside of V8; its answers, and the parser of its code, are inside. */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** Starts a thread without the environment and the arguments of the process. */
export function startThread(module: WebAssembly.Module, { onAnswer, onEnd }: ThreadEvents): Thread {
  const worker = new Worker(new URL('code-thread-program.js', import.meta.url), {
    workerData: module,
    resourceLimits,
    env: {},
    argv: [],
    execArgv: [],
    name: 'toolfold-code',
  });
  let failure: Error | undefined;
  let folder: string | undefined;
  worker.on('message', (answer: ThreadAnswer) => {
    if (answer.kind === 'ready') folder = answer.thread;
    onAnswer(answer);
  });
  worker.on('error', (error: Error) => {
    failure = error;
  });
  worker.on('exit', (code) => onEnd(failure ?? new Error(`exit code ${code}`)));
  return {
    send: (request) => worker.postMessage(request, []),
    cpuMs: () => readCpuMs(folder),
    hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
    terminate: async () => {
      await worker.terminate();
    },
  };
}

/** The types of this package leave `WebAssembly` out, because not every runtime has it. */
const { WebAssembly: wasm } = globalThis as unknown as {
  readonly WebAssembly: { compile(bytes: Uint8Array): Promise<WebAssembly.Module> };
};

export async function compileQuickJs(): Promise<WebAssembly.Module> {
  const path = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
  return wasm.compile(await readFile(path));
}
