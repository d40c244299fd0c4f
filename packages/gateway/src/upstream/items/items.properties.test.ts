import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { runs } from '../../../../../test/runs.js';
import { readSettings } from '../options.js';
import { readSuggestions } from './listed-item.js';
import { toPrompts } from './prompts.js';
import { toResources } from './resources.js';
import { internalsOf } from 'toolfold/internal';

const settings = readSettings({ url: 'https://example.com/mcp' }, {});
const odd = fc.jsonValue();
const name = fc.oneof(fc.constantFrom('a', 'b', '', ' ', '__proto__', 'constructor'), fc.string(), odd);
const uri = fc.oneof(
  fc.constantFrom('a://1', 'a://{id}', 'a://{+path}', 'a://{id}{more}', 'a://{?q}', 'a://{id}/{id}', '{', ''),
  fc.webUrl(),
  odd,
);
const item = fc.oneof(
  odd,
  fc.record(
    {
      name,
      uri,
      uriTemplate: uri,
      title: fc.oneof(fc.string(), odd),
      description: fc.oneof(fc.string(), odd),
      arguments: fc.oneof(fc.array(fc.oneof(odd, fc.record({ name, required: odd, description: odd }))), odd),
      mimeType: odd,
      size: odd,
      annotations: odd,
      icons: odd,
      _meta: odd,
    },
    { requiredKeys: [] },
  ),
);

it('offers or reports every listed item, and what it offers can be registered, whatever a server lists', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 10 }), fc.boolean(), (listed, completions) => {
      let skipped = 0;
      const options = {
        settings,
        features: { completions, tasks: false, isModern: true },
        skip: () => skipped++,
        forward: () => Promise.reject(new Error('not reached')),
        subscribe: () => undefined,
      };
      const prompts = toPrompts(listed, options);
      expect(prompts.length + skipped).toBe(listed.length);
      skipped = 0;
      const resources = toResources(listed, listed, options);
      expect(resources.length + skipped).toBe(2 * listed.length);
      const registry = new ToolRegistry();
      internalsOf(registry).replaceItems({ prompts, resources });
      expect(registry.counts).toEqual({ tools: 0, prompts: prompts.length, resources: resources.length });
      // Clients can read every list.
      JSON.stringify([registry.listPrompts(), registry.listResources(), registry.listResourceTemplates()]);
    }),
    { numRuns: runs(300) },
  );
});

it('passes on at most 100 texts as suggestions, or throws an error that names the server', () => {
  const answer = fc.oneof(
    odd,
    fc.record({ completion: fc.oneof(odd, fc.record({ values: fc.array(odd), total: odd, hasMore: odd })) }),
  );
  fc.assert(
    fc.property(answer, (given) => {
      try {
        const { values, total, hasMore } = readSuggestions(given, 'far');
        expect(values.length).toBeLessThanOrEqual(100);
        expect(values.every((value) => typeof value === 'string')).toBe(true);
        expect(total).toBeGreaterThanOrEqual(values.length);
        expect(typeof hasMore).toBe('boolean');
      } catch (error) {
        expect(String(error)).toContain('The server "far" gave no valid answer');
      }
    }),
    { numRuns: runs(300) },
  );
});
