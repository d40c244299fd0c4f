import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PausedRun } from './paused-run.js';
import { countTexts, digestOf, fromTexts, packRun, TooLarge, toTexts, unpackRun } from './saved-run-bytes.js';

const MEBIBYTE = 1024 * 1024;
const paused: PausedRun = {
  runId: 'r',
  snapshot: undefined,
  waiting: [{ id: 2, path: 'a.b', address: 'a.b', input: '{"text":"ä \ud800"}' }],
  notes: [{ id: 1, address: 'a', outcome: 'ok', ms: 5 }],
  keys: {},
  logs: ['one'],
  hasLostLogs: true,
  cpuMs: 1,
  wallMs: 2,
  rounds: 1,
};

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Bytes without any regularity that gzip could use. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = 1;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 16;
  }
  return bytes;
}

async function listTexts(packed: Uint8Array): Promise<string[]> {
  const texts: string[] = [];
  for await (const text of toTexts(packed)) texts.push(text);
  return texts;
}

describe('the bytes of a saved run', () => {
  it('hold the run, its owner and its snapshot', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), async (snapshot) => {
        const packed = await packRun('ada', paused, snapshot, MEBIBYTE);
        const back = await unpackRun(await fromTexts(await listTexts(packed)));
        expect(back.owner).toBe('ada');
        expect(back.paused).toEqual({ ...paused, snapshot: undefined });
        expect([...back.snapshot]).toEqual([...snapshot]);
      }),
      { numRuns: 30 },
    );
  });

  it('are split into texts of at most 262,144 characters', async () => {
    const snapshot = noise(3 * MEBIBYTE);
    const packed = await packRun('ada', paused, snapshot, 4 * MEBIBYTE);
    const texts = await listTexts(packed);
    expect(texts.length).toBeGreaterThan(15);
    expect(texts).toHaveLength(countTexts(packed));
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(262_144);
    const back = await unpackRun(await fromTexts(texts));
    expect(await digestOf(back.snapshot)).toBe(await digestOf(snapshot));
  });

  it('are rejected if they are too large, before all of them are compressed', async () => {
    await expect(packRun('ada', paused, noise(8 * MEBIBYTE), MEBIBYTE)).rejects.toThrow(TooLarge);
    await expect(packRun('ada', paused, new Uint8Array(65 * MEBIBYTE), MEBIBYTE)).rejects.toThrow(TooLarge);
  });

  it('are rejected if they grow beyond the limit when they are read', async () => {
    const bomb = new Blob([new Uint8Array(65 * MEBIBYTE)])
      .stream()
      .pipeThrough(new CompressionStream('gzip'));
    const packed = new Uint8Array(await new Response(bomb).arrayBuffer());
    await expect(unpackRun(packed)).rejects.toThrow(TooLarge);
  });

  it('are not compressed on runtimes without compression, and can be read there', async () => {
    vi.stubGlobal('CompressionStream', undefined);
    vi.stubGlobal('DecompressionStream', undefined);
    const packed = await packRun('ada', paused, new Uint8Array(1_000), MEBIBYTE);
    expect(packed.length).toBeGreaterThan(1_000);
    expect((await unpackRun(packed)).snapshot).toHaveLength(1_000);
    await expect(packRun('ada', paused, new Uint8Array(2_000), 1_000)).rejects.toThrow(TooLarge);
  });

  it('leave the event loop free while 32 MiB are compressed', async () => {
    const snapshot = new Uint8Array(32 * MEBIBYTE);
    snapshot.set(noise(2 * MEBIBYTE));
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await packRun('ada', paused, snapshot, 4 * MEBIBYTE);
    isDone = true;
    // Every step of 192 KiB gives other requests a turn.
    expect(turns).toBeGreaterThan(100);
  });

  it.each([new Uint8Array(), new Uint8Array([0x1f, 0x8b, 1]), new Uint8Array([0, 0, 0, 2, 123, 125])])(
    'are rejected if they are something else',
    async (bytes) => {
      await expect(unpackRun(bytes)).rejects.toThrow();
    },
  );
});
