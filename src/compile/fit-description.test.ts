import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { readActions } from '../client/read-actions.js';
import { ErrInvalidOptions } from '../errors.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { generateDescription, generateToonDescription, layouts } from './describe-tool.js';
import type { DescriptionGenerator, DescriptionInput } from './describe-tool.js';
import { fitDescription } from './fit-description.js';
import { splitSentences } from './sentences.js';
import { runs } from '../../test/runs.js';

const inputOf = (
  descriptions: Readonly<Record<string, string>>,
  more: Partial<DescriptionInput> = {},
): DescriptionInput => ({
  name: 'tool',
  hasGroup: false,
  actions: Object.entries(descriptions).map(([key, description]) => ({
    key,
    actionName: key,
    groupName: undefined,
    groupDescription: undefined,
    description,
    input: { required: ['id'] },
  })),
  ...more,
});

const fit = (
  tool: DescriptionInput,
  maxLength: number,
  strategy: DescriptionGenerator = generateDescription,
) => fitDescription(tool, layouts.get(strategy)!, { maxLength, discriminator: 'action' });

describe('the description of a grouped tool', () => {
  it('is unchanged if it fits', () => {
    const tool = inputOf({ list: 'Lists people. Sorted by name.' });
    const full = generateDescription(tool);
    expect(fit(tool, full.length)).toEqual({ description: full, details: '' });
  });

  it('shows the first sentence of every action before the second of any, and moves the rest to the details', () => {
    const tool = inputOf({
      list: 'Lists people. Sorted by name. At most a hundred of them in one page.',
      find: 'Finds people. Uses the index of the workspace, which is refreshed every hour.',
    });
    expect(fit(tool, 108)).toEqual({
      description:
        'tool. Actions: list, find\n\nDetails:\n- `list`: Lists people.\n- `find`: Finds people.\nMore: see `action`.',
      details:
        'list: Sorted by name. At most a hundred of them in one page.\n' +
        'find: Uses the index of the workspace, which is refreshed every hour.',
    });
  });

  it('shows the beginning of every first sentence if not all of them fit, like reports of the showcase', () => {
    const tool = inputOf(
      {
        spending: 'Shows how much was spent by category, such as groceries, or by payee. Refunds count.',
        recurring: 'Finds recurring payments, such as bills and subscriptions, with their cost per year.',
        check: 'Checks that the books of one budget or of all budgets balance.',
        year: 'Writes a yearly report. It has totals.',
      },
      { description: 'Sums over one budget' },
    );
    const { description, details } = fit(tool, 260);
    expect(description).toBe(
      'Sums over one budget. Actions: spending, recurring, check, year\n\nDetails:\n' +
        '- `spending`: Shows how much was spent by category…\n' +
        '- `recurring`: Finds recurring payments…\n' +
        '- `check`: Checks that the books…\n' +
        '- `year`: Writes a yearly report.\nMore: see `action`.',
    );
    expect(details.split('\n')).toEqual([
      'spending: Shows how much was spent by category, such as groceries, or by payee. Refunds count.',
      'recurring: Finds recurring payments, such as bills and subscriptions, with their cost per year.',
      'check: Checks that the books of one budget or of all budgets balance.',
      'year: It has totals.',
    ]);
  });

  it('gives actions precedence over groups', () => {
    const actions = inputOf({ a: 'Lists everything that is known.', b: 'Finds one of them.' }).actions.map(
      (action) => ({ ...action, groupName: 'g', groupDescription: 'Everything about these things.' }),
    );
    const { description, details } = fit(inputOf({}, { actions, hasGroup: true }), 120);
    expect(description).toContain('- `a`: Lists everything that is');
    expect(description).toContain('- `b`: Finds one of them.');
    expect(details).toContain('g: Everything about these things.');
  });

  it('keeps the warning about a destructive action beside its first sentence', () => {
    const drop = {
      ...inputOf({ drop: 'Drops a table. It cannot be restored from the bin.' }).actions[0]!,
      destructive: true,
    };
    const list = inputOf({ list: 'Lists tables. '.repeat(20) }).actions[0]!;
    const { description, details } = fit(inputOf({}, { actions: [drop, list] }), 130);
    expect(description).toContain('- `drop`: Drops a table. ⚠️ DESTRUCTIVE');
    expect(details).toContain('drop: It cannot be restored from the bin.');
    const short = fit(inputOf({}, { actions: [list, { ...drop, description: '' }] }), 100);
    expect(short.description + short.details).toContain('⚠️ DESTRUCTIVE');
  });

  it('keeps at least the beginning of the summary if not even the names fit', () => {
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [`action_${index}`, 'Does it.']),
    );
    const { description } = fit(inputOf(many, { description: 'Everything' }), 200);
    expect(description).toMatch(/^Everything\. Actions: action_0, action_1.* and 38\d more\n/);
    const actions = inputOf(many).actions.map((action, index) => ({
      ...action,
      groupName: `group_${index % 5}`,
    }));
    expect(fit(inputOf({}, { actions, hasGroup: true }), 200).description).toMatch(
      /^tool\. Modules: group_0 \(80 actions\) \| group_1 \(80 actions\)/,
    );
  });

  it('moves sentences about the whole tool to the details as well', () => {
    const description = 'Everything about people. It reads the directory. It never writes. '.repeat(5).trim();
    const fitted = fit(inputOf({ list: 'Lists' }, { description }), 150);
    expect(fitted.description).toContain('Actions: list');
    expect(fitted.details).toContain('It never writes.');
  });

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
          for (const each of actions)
            for (const part of splitSentences(each.description)) expect(all).toContain(part);
          const linesOf = (key: string) =>
            description.split('\n').filter((line) => line.startsWith(`- \`${key}\`: `));
          if (!isToon) {
            const described = actions.filter((each) => each.description !== '');
            const shown = described.flatMap(({ key }) => linesOf(key));
            const hasMore = shown.some((line) => / Requires: |\. X/.test(line));
            if (hasMore) expect(shown).toHaveLength(described.length);
            for (const each of described) {
              const [clause] = /(?<=`: )[^…⚠]*(?=…)/.exec(linesOf(each.key)[0] ?? '') ?? [];
              // The text goes on with the next word.
              if (clause !== undefined) expect(`${each.description} `).toContain(`${clause} `);
            }
          }
          const warnings = all.split('⚠️ DESTRUCTIVE').length - 1;
          const destructive = actions.filter((each) => each.destructive).length;
          if (isToon) expect(warnings).toBeLessThanOrEqual(destructive);
          else expect(warnings).toBe(destructive);
        },
      ),
      { numRuns: runs(1000) },
    );
  });
});

describe('sentences', () => {
  it('end with punctuation and at line breaks, but not after abbreviations', () => {
    expect(splitSentences(' One. Two!\nThree, e.g. this. Four? five ')).toEqual([
      'One.',
      'Two!',
      'Three, e.g. this.',
      'Four?',
      'five',
    ]);
    expect(splitSentences('  ')).toEqual([]);
  });
});

describe('a builder', () => {
  const long = 'Does one thing. Then it does another thing that takes a sentence of its own. ';
  const build = (options: { maxDescriptionLength?: number } = {}) => {
    const builder = new GroupedToolBuilder('many', options);
    for (let index = 0; index < 20; index++)
      builder.action({
        name: `act_${index}`,
        description: long,
        inputSchema: { id: z.string() },
        handler: () => 'done',
      });
    return builder;
  };
  const listed = (builder: GroupedToolBuilder) =>
    new ToolRegistry().register(builder).view({ profile: 'anthropic' }).listTools()[0]!;

  it('keeps the description within 1,024 characters, and its details are found at the discriminator', () => {
    const tool = listed(build());
    expect(tool.description!.length).toBeLessThanOrEqual(1024);
    const { action } = tool.inputSchema['properties'] as { action: { description: string } };
    expect(action.description).toMatch(/^Which action to run\.\nact_0: Then it does/);
    expect(readActions(tool).actions).toHaveLength(20);
  });

  it('takes another length', () => {
    expect(build({ maxDescriptionLength: 100_000 }).buildToolDefinition().description).toContain(
      'act_19`: Does one thing. Then',
    );
    expect(listed(build({ maxDescriptionLength: 300 })).description!.length).toBeLessThanOrEqual(300);
    expect(() => new GroupedToolBuilder('many', { maxDescriptionLength: 10 })).toThrow(ErrInvalidOptions);
  });

  it('leaves the length of its texts to a strategy of the author', () => {
    const builder = build().strategies({ description: (tool) => `Mine: ${generateDescription(tool)}` });
    expect(builder.buildToolDefinition().description).toContain('act_19`: Does one thing. Then');
  });
});
