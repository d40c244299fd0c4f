import type { QuickJS, QuickJSOptions } from 'quickjs-wasi';
import { ErrCodeFailed } from 'toolfold/errors';
import type { CodeLimits } from '../sandbox.js';
import type { Engine } from './engine.js';
import { PRELUDE_VERSION } from './guest-prelude.js';
import type { BridgeName } from './guest-prelude.js';

/** The state of a run outside of its instance's memory. */
interface SavedState {
  /** Tokens of the functions of the prelude. */
  readonly bridge: Readonly<Record<BridgeName, number>>;
  readonly cpuMs: number;
  readonly logBytesLeft: number;
  readonly hasLostLogs: boolean;
}

const HEAD_BYTES = 4;
/** The head of a snapshot is always shorter. */
const LONGEST_HEAD = 1_024;
/** An instance holds its stack and static data beside the memory of the code, and the allocator leaves gaps as large as that memory. */
const SPARE_BYTES = 8 * 1_024 * 1_024;

/** Instances of another version lay out their memory in another way. */
const versionOf = (vm: QuickJS): string => `${vm.versions['quickjs-wasi']}/${PRELUDE_VERSION}`;

/** Writes the length of the head, the head as JSON, and the memory of the instance. */
export function writeSnapshot({ quickjs }: Engine, vm: QuickJS, state: SavedState): Uint8Array {
  const memory = quickjs.QuickJS.serializeSnapshot(vm.snapshot());
  const head = new TextEncoder().encode(JSON.stringify({ version: versionOf(vm), ...state }));
  const bytes = new Uint8Array(HEAD_BYTES + head.length + memory.length);
  new DataView(bytes.buffer).setUint32(0, head.length);
  bytes.set(head, HEAD_BYTES);
  bytes.set(memory, HEAD_BYTES + head.length);
  return bytes;
}

/** Makes an instance from a snapshot. The memory need not be trusted: like code, it can harm nothing outside of the instance. */
export async function readSnapshot(
  { quickjs: { QuickJS } }: Engine,
  bytes: Uint8Array,
  limits: CodeLimits,
  optionsFor: (state: SavedState) => QuickJSOptions,
): Promise<{ readonly vm: QuickJS; readonly state: SavedState }> {
  if (bytes.length > 2 * limits.memoryBytes + SPARE_BYTES)
    throw unreadable('It is larger than the memory limit.');
  try {
    const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
    if (length > LONGEST_HEAD) throw unreadable('It was not written by this sandbox.');
    const head = bytes.subarray(HEAD_BYTES, HEAD_BYTES + length);
    const { version, ...state } = JSON.parse(new TextDecoder().decode(head)) as SavedState & {
      readonly version: string;
    };
    const memory = QuickJS.deserializeSnapshot(bytes.subarray(HEAD_BYTES + length));
    const vm = await QuickJS.restore(memory, optionsFor(state));
    if (versionOf(vm) !== version) throw unreadable(`It is of version ${version}, not ${versionOf(vm)}.`);
    return { vm, state };
  } catch (error) {
    if (error instanceof ErrCodeFailed) throw error;
    throw unreadable('It was not written by this sandbox.', error);
  }
}

function unreadable(reason: string, cause?: unknown): ErrCodeFailed {
  return new ErrCodeFailed(`The saved run cannot continue. ${reason}`, {
    hint: 'Check what its calls have changed before you run the code again.',
    ...(cause === undefined ? {} : { cause }),
  });
}
