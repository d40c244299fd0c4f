import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countTokens } from '../../../../test/catalog/github-toolsets.js';
import { githubTools } from '../../../../test/catalog/github.js';
import { filesystem } from '../../../gateway/test/upstream-servers.js';
import type { McpTool } from 'toolfold/model';
import { estimateTokens } from '@toolfold/testing/internal';

const count = ({ name, description, inputSchema }: McpTool): number =>
  countTokens(JSON.stringify({ name, description, inputSchema }));
const sum = (tools: readonly McpTool[], of: (tool: McpTool) => number): number =>
  tools.reduce((total, tool) => total + of(tool), 0);

describe('the estimate of tokens, against o200k', () => {
  const tools = githubTools as unknown as McpTool[];
  const errors = tools
    .map((tool) => Math.abs(estimateTokens(tool) / count(tool) - 1))
    .toSorted((one, other) => one - other);

  it('is less than 1 % off for all 117 tools of GitHub', () => {
    expect(tools).toHaveLength(117);
    expect(Math.abs(sum(tools, estimateTokens) / sum(tools, count) - 1)).toBeLessThan(0.01);
  });

  it('is at most 21 % off for one of them, and 5 % for half', () => {
    expect(errors.at(-1)).toBeLessThan(0.21);
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThan(0.05);
  });

  it.each([
    ['notion-2.5.2', 24, 0.968],
    ['firecrawl-3.26.0', 29, 0.951],
    ['playwright-0.0.83', 25, 1.045],
  ])('is at most 5 % off for %s, and 21 % for any of its %i tools', (name, length, ratio) => {
    const file = new URL(`../../../../test/data/servers/${name}.json`, import.meta.url);
    const { tools: listed } = JSON.parse(readFileSync(file, 'utf8')) as { tools: McpTool[] };
    expect(listed).toHaveLength(length);
    expect(sum(listed, estimateTokens) / sum(listed, count)).toBeCloseTo(ratio, 2);
    for (const tool of listed) expect(Math.abs(estimateTokens(tool) / count(tool) - 1)).toBeLessThan(0.21);
  });

  it('is 8 % too high for a server that it was not chosen on', async () => {
    const client = new Client({ name: 'c', version: '1' });
    await client.connect(new StdioClientTransport({ ...filesystem(tmpdir()), stderr: 'ignore' }));
    onTestFinished(() => client.close());
    const listed = (await client.listTools()).tools as unknown as McpTool[];
    expect(listed).toHaveLength(14);
    expect(sum(listed, estimateTokens) / sum(listed, count)).toBeCloseTo(1.08, 2);
  });
});
