import { parentPort, workerData } from 'node:worker_threads';
import { loadQuickJs } from '../quickjs/engine.js';
import type { Engine } from '../quickjs/engine.js';
import { QuickJsRun } from '../quickjs/quickjs-run.js';
import { findThread, lowerPriority, readCpuMs } from './thread-cpu.js';
import type { EndRun, ThreadAnswer, ThreadRequest } from './messages.js';

// This is the program of a thread. It holds one run at a time, and has no access to the server.
const thread = findThread();
const engine = prepare();
let run: QuickJsRun | undefined;

async function prepare(): Promise<Engine> {
  const loaded = {
    quickjs: await loadQuickJs(),
    module: workerData as WebAssembly.Module,
    readCpuMs: () => readCpuMs(thread),
  };
  await QuickJsRun.warmUp(loaded);
  // Only now, because at the lowest priority this takes many seconds on a busy machine.
  lowerPriority(thread);
  return loaded;
}

async function answer(request: ThreadRequest): Promise<ThreadAnswer> {
  switch (request.kind) {
    case 'prepare':
      await engine;
      return { kind: 'ready', thread };
    case 'start':
      run = await QuickJsRun.start(await engine, request.code, request.limits);
      return { kind: 'done' };
    case 'restore':
      run = await QuickJsRun.restore(await engine, request.snapshot, request.limits);
      return { kind: 'done' };
    case 'advance':
      if (!run) throw new Error('The thread has no run.');
      return { kind: 'step', step: run.advanceNow(request.settled) };
    case 'snapshot':
      if (!run) throw new Error('The thread has no run.');
      return { kind: 'snapshot', snapshot: await run.snapshot() };
  }
}

parentPort?.on('message', async (request: ThreadRequest | EndRun) => {
  if (request.kind === 'end') {
    run?.dispose();
    run = undefined;
    return;
  }
  const answered = await answer(request).catch((error: unknown): ThreadAnswer => ({
    kind: 'error',
    message: error instanceof Error ? error.message : String(error),
  }));
  const transfer = answered.kind === 'snapshot' ? [answered.snapshot.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(answered, transfer);
});
