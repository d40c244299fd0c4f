import { ErrInvalidOptions } from 'toolfold/errors';
import type { Thread } from './messages.js';

/** Replaces `node-threads.ts` on runtimes without Node's threads. */
export const hasThreads = false;

export function startThread(): Thread {
  throw new ErrInvalidOptions('This runtime has no threads.', {
    hint: 'Write createQuickJsSandbox({ wasm, threads: false }).',
  });
}

export async function compileQuickJs(): Promise<WebAssembly.Module> {
  throw new ErrInvalidOptions('This runtime cannot read the file of QuickJS.', {
    hint: "Import 'quickjs-wasi/quickjs.wasm' as a module, and write createQuickJsSandbox({ wasm, threads: false }).",
  });
}
