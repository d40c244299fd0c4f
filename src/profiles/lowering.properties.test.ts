import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertGenerated, assertLossless } from '../../test/profiles/lossless.js';
import { Random } from '../../test/profiles/schemas.js';
import type { McpTool } from '../protocol/mcp-types.js';
import { profileNames } from './profile.js';

const catalog = JSON.parse(
  readFileSync(new URL('../../test/data/github-tools.json', import.meta.url), 'utf8'),
) as McpTool[] | { tools: McpTool[] };
const github = Array.isArray(catalog) ? catalog : catalog.tools;

describe.each(profileNames)('lowering for %s', (profile) => {
  it('loses no input of generated schemas, is accepted, and changes nothing the second time', () => {
    let inputs = 0;
    fc.assert(
      fc.property(fc.integer({ min: 1 }), (seed) => void (inputs += assertGenerated(seed, profile, 6))),
      { numRuns: 40 },
    );
    expect(inputs).toBeGreaterThan(100);
  });

  it('loses no input of the GitHub catalog', () => {
    let inputs = 0;
    for (const [index, tool] of github.entries())
      inputs += assertLossless(tool, profile, new Random(index), 4);
    expect(inputs).toBeGreaterThan(300);
  });
});
