import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { McpTool } from '../protocol/mcp-types.js';
import { checkTools } from './check-tools.js';
import { lowerTool, lowerTools } from './lower-tool.js';
import { profileNames } from './profile.js';

const catalog = JSON.parse(
  readFileSync(new URL('../../test/data/github-tools.json', import.meta.url), 'utf8'),
) as { tools: McpTool[] } | McpTool[];
const github = Array.isArray(catalog) ? catalog : catalog.tools;

describe.each(profileNames)('lowering for %s', (profile) => {
  it('makes every tool of the GitHub catalog acceptable', () => {
    const lowered = lowerTools(github, profile).map(({ tool }) => tool);
    expect(checkTools(lowered, profile).filter(({ tool }) => tool !== '')).toEqual([]);
  });

  it('returns accepted tools unchanged', () => {
    const tool: McpTool = {
      name: 'add',
      description: 'Adds two numbers.',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' } },
        required: ['a'],
        additionalProperties: false,
      },
    };
    const { additionalProperties: _, ...open } = tool.inputSchema;
    const accepted: McpTool =
      profile === 'portable' || profile === 'gemini'
        ? { ...tool, inputSchema: { ...open, type: 'object' } }
        : tool;
    const lowered = lowerTool(accepted, profile);
    expect(lowered.tool).toBe(accepted);
    expect(lowered.changes).toEqual([]);
    if (profile !== 'openai-strict') expect(lowered.decode).toBeUndefined();
  });
});
