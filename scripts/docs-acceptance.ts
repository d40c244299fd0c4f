/**
 * Measures which tools of recorded lists each profile accepts, before and after they are lowered, and their tokens. The result
 * fills the table below `<!-- acceptance -->`.
 */
import { readFileSync } from 'node:fs';
import { countTool, createTokenCounter } from '@toolfold/testing/internal';
import type { McpTool } from 'toolfold/model';
import { checkTools, lowerTools, profileNames } from '@toolfold/profiles';
import type { ProfileName, Violation } from '@toolfold/profiles';

export interface Acceptance {
  readonly profile: ProfileName;
  /** The tools that the profile accepts as they are listed. */
  readonly before: number;
  /** The tools that the profile accepts after they are lowered. */
  readonly after: number;
  /** The tokens of the lowered tools. */
  readonly tokens: number;
  /** The rules that lowered tools break. */
  readonly violations: readonly Violation[];
}

export interface MeasuredCatalog {
  readonly name: string;
  readonly tools: number;
  readonly tokens: number;
  readonly profiles: readonly Acceptance[];
}

const catalogs = [
  ['GitHub', 'test/data/github-tools.json'],
  ['Notion 2.5.2', 'test/data/servers/notion-2.5.2.json'],
  ['Firecrawl 3.26.0', 'test/data/servers/firecrawl-3.26.0.json'],
  ['Playwright 0.0.83', 'test/data/servers/playwright-0.0.83.json'],
] as const;

/** Measures each recorded list. Rules about the number of tools do not count, because no lowering removes tools. */
export async function measureAcceptance(): Promise<readonly MeasuredCatalog[]> {
  const counter = createTokenCounter();
  const tokensOf = (tools: readonly McpTool[]): number =>
    tools.reduce((sum, tool) => sum + countTool(tool, counter), 0);
  return catalogs.map(([name, file]) => {
    const { tools } = JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')) as {
      tools: McpTool[];
    };
    const profiles = profileNames.map((profile) => {
      const lowered = lowerTools(tools, profile).map(({ tool }) => tool);
      const [before, after] = [tools, lowered].map((list) => violationsOf(list, profile));
      return {
        profile,
        before: countAccepted(tools, before ?? []),
        after: countAccepted(lowered, after ?? []),
        tokens: tokensOf(lowered),
        violations: after ?? [],
      };
    });
    return { name, tools: tools.length, tokens: tokensOf(tools), profiles };
  });
}

function violationsOf(tools: readonly McpTool[], profile: ProfileName): readonly Violation[] {
  return checkTools(tools, profile).filter(({ tool }) => tool !== '');
}

function countAccepted(tools: readonly McpTool[], violations: readonly Violation[]): number {
  const rejected = new Set(violations.map(({ tool }) => tool));
  return tools.filter(({ name }) => !rejected.has(name)).length;
}

const number = (value: number): string => value.toLocaleString('en-US');

function percent(part: number, whole: number): string {
  // A list with one rejected tool is not accepted, so shares below 100 % are never rounded up to it.
  return `${Math.floor((part / whole) * 100)} %`;
}

function writeChange(tokens: number, before: number): string {
  const change = ((tokens - before) / before) * 100;
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(1)} %`;
}

/** The table: a row for each profile, a column for each list. */
export function writeAcceptance(measured: readonly MeasuredCatalog[]): string {
  const head = measured.map(({ name, tools }) => `${name}, ${tools} tools`);
  const rows = profileNames.map((profile, at) => [
    `\`${profile}\``,
    ...measured.map(({ tools, tokens: listed, profiles }) => {
      const { before, after, tokens } = profiles[at] as Acceptance;
      const change = writeChange(tokens, listed);
      return `${percent(before, tools)} → ${percent(after, tools)}; ${number(tokens)} tokens (${change})`;
    }),
  ]);
  const table = [
    ['profile', ...head],
    ['as listed', ...measured.map(({ tokens }) => `${number(tokens)} tokens`)],
    ...rows,
  ].map((cells) => `| ${cells.join(' | ')} |`);
  return [table[0], `|${'---|'.repeat(head.length + 1)}`, ...table.slice(1)].join('\n');
}

const marker = /(<!-- acceptance -->\n)(?:\|.*\n)*/;

/** Fills the table below `<!-- acceptance -->`. */
export async function fillAcceptance(markdown: string): Promise<string> {
  if (!marker.test(markdown)) return markdown;
  const table = writeAcceptance(await measureAcceptance());
  return markdown.replace(marker, (_block, head: string) => `${head}${table}\n`);
}
