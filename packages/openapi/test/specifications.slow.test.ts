import { describe, expect, it } from 'vitest';
import { callEveryOperation } from './every-operation.js';
import { readSpecification, specifications } from './specifications.js';
import type { Specification } from './specifications.js';

/** The number of operations in each specification. All of them are offered. */
const operations: Readonly<Record<Specification, number>> = {
  asana: 167,
  box: 260,
  digitalocean: 290,
  figma: 54,
  github: 1_223,
  jira: 499,
  netlify: 181,
  twilio: 195,
};

/**
 * Operations of which no call is valid, because their bodies require a property that the specification does not describe. Such a property
 * is not offered.
 */
const contradictory: Readonly<Partial<Record<Specification, readonly string[]>>> = {
  digitalocean: ['POST /v2/uptime/checks'],
  figma: ['PUT /v2/webhooks/{webhook_id}'],
  jira: [
    'PUT /rest/api/3/issuesecurityschemes/{schemeId}/level/{levelId}/member',
    'POST /rest/api/3/screenscheme',
  ],
};

describe('every operation of a real specification', () => {
  it.each(specifications)(
    'of %s is offered, and its calls arrive as the specification demands',
    async (name) => {
      // With the default, large schemas are simplified, and then a random input is rarely valid.
      const report = await callEveryOperation(readSpecification(name), { maxSchema: 200_000 });
      const { invalid, ...counts } = report;
      const known = contradictory[name] ?? [];
      expect(
        invalid.map((line) => line.replace(/: .*$/s, '')),
        invalid.join('\n'),
      ).toEqual(known);
      expect(counts).toEqual({
        operations: operations[name],
        actions: operations[name],
        skipped: [],
        valid: operations[name] - known.length,
        changed: [],
      });
    },
  );
});
