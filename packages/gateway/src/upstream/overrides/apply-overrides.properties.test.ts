import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../../test/runs.js';
import { tool, offer } from '../../../test/upstream/apply-overrides-setup.js';

describe('an override', () => {
  it('never lets a caller change a fixed argument, whatever the caller sends', async () => {
    const { registry } = offer([tool('create')], { create: { fixed: { owner: 'acme' } } });
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom('owner', 'title', 'labels', 'limit', '__proto__', 'x'), fc.jsonValue()),
        async (args) => {
          const { content, isError } = await registry.executeTool({
            name: 'create',
            arguments: args as Record<string, unknown>,
          });
          const text = content[0]?.type === 'text' ? content[0].text : '';
          if (isError !== true) expect(JSON.parse(text)).toMatchObject({ owner: 'acme' });
        },
      ),
      { numRuns: runs(200) },
    );
  });
});
