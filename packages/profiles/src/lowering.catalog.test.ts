import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { assertLossless } from '../test/lossless.js';
import { Random } from '../test/schemas.js';
import type { McpTool } from './mcp-tool.js';
import { profileNames } from './profile.js';

const catalog = JSON.parse(
  readFileSync(new URL('../../../test/data/github-tools.json', import.meta.url), 'utf8'),
) as McpTool[] | { tools: McpTool[] };
const github = Array.isArray(catalog) ? catalog : catalog.tools;

it('lowering loses no input of the GitHub catalog for any profile', () => {
  let inputs = 0;
  for (const [index, tool] of github.entries())
    inputs += assertLossless(tool, profileNames, new Random(index), 4);
  expect(inputs).toBeGreaterThan(300);
});
