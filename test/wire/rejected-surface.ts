import { expect } from 'vitest';
import { checkTools, lowerTool } from '@toolfold/profiles';
import type { McpTool, ProfileName } from '@toolfold/profiles';
import { cases, createRejected } from './rejected-tools.js';

interface Called {
  readonly isError?: boolean | undefined;
  readonly content: readonly unknown[];
}

/** The parts of both official clients that the checks use. */
export interface SurfaceClient {
  list(): Promise<readonly McpTool[]>;
  call(name: string, args: Record<string, unknown>): Promise<Called>;
}

/** Lists the tools, checks that the profile accepts them, and calls each with valid and wrong arguments. */
export async function checkSurface(client: SurfaceClient, profile: ProfileName): Promise<void> {
  const authored = createRejected().view().authored?.listTools('2025-11-25') ?? [];
  expect(checkTools(authored, profile)).not.toEqual([]);
  const listed = await client.list();
  expect(checkTools(listed, profile)).toEqual([]);
  for (const [at, { name, valid, wrong, field }] of cases.entries()) {
    const { encode = (args) => args } = lowerTool(authored[at] as McpTool, profile);
    const shown = listed[at]?.name ?? '';
    const given = encode(valid);
    const answer = await client.call(shown, { ...given });
    expect([name, textOf(answer), answer.isError]).toEqual([name, JSON.stringify(valid), undefined]);
    const rejected = await client.call(shown, { ...encode(wrong) });
    expect([name, rejected.isError]).toEqual([name, true]);
    expect(textOf(rejected)).toMatch(/^Validation failed/);
    expect(textOf(rejected)).toContain(field);
    // Typed clients send the arguments of the author.
    expect(textOf(await client.call(name, valid))).toBe(JSON.stringify(valid));
  }
}

function textOf({ content: [first] }: Called): string {
  return (first as { text?: string } | undefined)?.text ?? '';
}
