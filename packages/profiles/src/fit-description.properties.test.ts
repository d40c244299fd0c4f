import { decode } from '@toon-format/toon';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateDescription, generateToonDescription } from 'toolfold';
import { splitSentences } from '@toolfold/schema/internal';
import { runs } from '../../../test/runs.js';
import { fit } from '../test/fit-description-setup.js';

describe('the description of a grouped tool', () => {
  it('is never longer than allowed, never cut inside a word, and nothing is lost', () => {
    const word = fc.stringMatching(/^[a-z]{1,9}$/);
    const sentence = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => `X${words.join(' ')}.`);
    const text = fc.array(sentence, { maxLength: 4 }).map((sentences) => sentences.join(' '));
    const action = fc.record({
      actionName: fc.stringMatching(/^[a-z_]{1,12}$/),
      groupName: fc.constantFrom('users', 'billing'),
      groupDescription: text,
      description: text,
      destructive: fc.boolean(),
      required: fc.array(word, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(action, { minLength: 1, maxLength: 30, selector: ({ actionName }) => actionName }),
        text,
        fc.integer({ min: 100, max: 2000 }),
        fc.boolean(),
        fc.boolean(),
        (drawn, about, maxLength, hasGroup, isToon) => {
          const actions = drawn.map(({ required, groupName, ...rest }) => ({
            ...rest,
            key: hasGroup ? `${groupName}.${rest.actionName}` : rest.actionName,
            groupName: hasGroup ? groupName : undefined,
            groupDescription: hasGroup ? rest.groupDescription : undefined,
            input: { required },
          }));
          const tool = { name: 'tool', description: about, actions, hasGroup };
          const strategy = isToon ? generateToonDescription : generateDescription;
          const { description, details } = fit(tool, maxLength, strategy);
          expect(description.length).toBeLessThanOrEqual(maxLength);
          const all = `${description}\n${details}`;
          const read = readDescription(description, isToon);
          for (const { key, description: own, destructive, input } of actions) {
            for (const part of splitSentences(own)) expect(all).toContain(part);
            const shown = read.get(key);
            const [clause] = /^[^…]*(?=…)/.exec(shown?.text ?? '') ?? [];
            // The text goes on with the next word.
            if (clause !== undefined) expect(`${own} `).toContain(`${clause} `);
            if (shown) expect(shown).toMatchObject({ required: input.required.join(), destructive });
          }
          const texts = [...read.values()].filter(({ text: own }) => own !== '');
          for (const { key, destructive, input } of actions)
            if (destructive || (texts.length > 0 && input.required.length > 0))
              expect([...read.keys(), ...(destructive ? keysOf(details) : [])]).toContain(key);
        },
      ),
      { numRuns: runs(1000) },
    );
  });
});

/** The keys of the lines in the description of a discriminator that warn. */
const keysOf = (details: string): string[] =>
  details.split('\n').flatMap((line) => /^([\w.]+): .*⚠️ DESTRUCTIVE$/.exec(line)?.[1] ?? []);

/** The line of each action in a description. */
function readDescription(description: string, isToon: boolean) {
  if (isToon) {
    const at = description.search(/^[\w]*\[\d+\|\]/m);
    const table = at < 0 ? [] : decode(description.slice(at));
    const groups = Array.isArray(table) ? { '': table } : (table as object);
    return new Map(
      Object.entries(groups).flatMap(([group, rows]: [string, Record<string, unknown>[]]) =>
        rows.map(({ action, desc, required, destructive }) => [
          group === '' ? String(action) : `${group}.${String(action)}`,
          { text: String(desc), required, destructive },
        ]),
      ),
    );
  }
  const line = /^- `([\w.]+)`:(?: (?!Requires|⚠️)(.*?))?(?: Requires: ([\w, ]*?))?( ⚠️ DESTRUCTIVE)?$/gm;
  return new Map(
    Array.from(description.matchAll(line), ([, key = '', text = '', required = '', warning]) => [
      key,
      { text, required: required.replaceAll(', ', ','), destructive: warning !== undefined },
    ]),
  );
}
