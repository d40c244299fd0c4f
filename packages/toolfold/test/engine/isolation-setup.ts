import type { CallToolResult, ToolContext } from 'toolfold';

export const text = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : block.type)).join();

/** Pseudo-random numbers that are the same in every run (mulberry32). */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Yields a few times, to promises or to the event loop. */
export async function wander(random: (below: number) => number): Promise<void> {
  for (let turns = random(5); turns > 0; turns--) {
    if (random(2) === 0) await Promise.resolve();
    else await new Promise((resolve) => setImmediate(resolve));
  }
}

export interface App {
  readonly owner: string;
}

/** Everything that a call can see about itself. */
export const seen = (context: ToolContext<App>, input: Readonly<Record<string, unknown>>) => ({
  owner: context.app.owner,
  token: context.accessToken,
  sub: context.caller.auth?.['sub'],
  session: context.caller.sessionId,
  raw: context.rawArguments['n'],
  input: input['n'],
});
