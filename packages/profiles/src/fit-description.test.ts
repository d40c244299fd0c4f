import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { generateDescription, generateToonDescription, GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { readActions } from '@toolfold/testing/internal';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import type { DescriptionGenerator, DescriptionInput } from 'toolfold';
import { splitSentences } from '@toolfold/schema/internal';
import { fit } from '../test/fit-description-setup.js';

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

describe('the description of a grouped tool', () => {
  it('is unchanged if it fits', () => {
    const tool = inputOf({ list: 'Lists people. Sorted by name.' });
    const full = generateDescription(tool);
    expect(fit(tool, full.length)).toEqual({ description: full, details: '' });
  });

  it('gives each action the same length, shows whole sentences, and moves the rest to the discriminator', () => {
    const tool = inputOf({
      list: 'Lists people. Sorted by name. At most a hundred of them in one page.',
      find: 'Finds people. Uses the index of the workspace, which is refreshed every hour.',
    });
    expect(fit(tool, 145)).toEqual({
      description:
        'tool. Actions: list, find\nMore: see `action`.\n\nDetails:\n- `list`: Lists people. Sorted by name. Requires: id\n' +
        '- `find`: Finds people. Requires: id',
      details:
        'list: At most a hundred of them in one page.\n' +
        'find: Uses the index of the workspace, which is refreshed every hour.',
    });
  });

  it('shows the beginning of first sentences if not all of them fit, like reports of the showcase', () => {
    const tool = inputOf(
      {
        spending: 'Shows how much was spent by category, such as groceries, or by payee. Refunds count.',
        recurring: 'Finds recurring payments, such as bills and subscriptions, with their cost per year.',
        check: 'Checks that the books of one budget or of all budgets balance.',
        year: 'Writes a yearly report. It has totals.',
      },
      { description: 'Sums over one budget' },
    );
    const { description, details } = fit(tool, 341);
    expect(description).toBe(
      'Sums over one budget. Actions: spending, recurring, check, year\nMore: see `action`.\n\nDetails:\n' +
        '- `spending`: Shows how much was spent by category… Requires: id\n' +
        '- `recurring`: Finds recurring payments… Requires: id\n' +
        '- `check`: Checks that the books of one budget or… Requires: id\n' +
        '- `year`: Writes a yearly report. It has totals. Requires: id',
    );
    expect(details.split('\n')).toEqual([
      'spending: Shows how much was spent by category, such as groceries, or by payee. Refunds count.',
      'recurring: Finds recurring payments, such as bills and subscriptions, with their cost per year.',
      'check: Checks that the books of one budget or of all budgets balance.',
    ]);
  });

  it('keeps required fields and warnings when no text of an action fits', () => {
    const drop = {
      ...inputOf({ drop: 'Drops a table. It cannot be restored from the bin.' }).actions[0]!,
      destructive: true,
    };
    const list = inputOf({ list: 'Lists the tables of the whole database. '.repeat(20) }).actions[0]!;
    const tool = inputOf({}, { actions: [list, drop] });
    expect(fit(tool, 120).description.split('\n').slice(-2)).toEqual([
      '- `list`: Requires: id',
      '- `drop`: Requires: id ⚠️ DESTRUCTIVE',
    ]);
    expect(fit(tool, 120).details).toContain('drop: Drops a table. It cannot be restored from the bin.');
    const { description, details } = fit(tool, 80);
    expect(description).toMatch(/- `drop`: Requires: id ⚠️ DESTRUCTIVE$/);
    expect(description).not.toContain('- `list`');
    expect(details).toMatch(/^list: Lists the tables of the whole database\..* Requires: id$/m);
  });

  it('leaves out the names of actions before their warnings, because the enum has all names', () => {
    const actions = Array.from({ length: 40 }, (_, index) => ({
      ...inputOf({ [`action_${index}`]: 'Does it.' }).actions[0]!,
      destructive: index % 10 === 9,
    }));
    const { description, details } = fit(inputOf({}, { actions, description: 'Everything.' }), 300);
    expect(description).toMatch(
      /^Everything\.\nMore: see `action`\.\n\nDetails:\n- `action_0`: Requires: id\n/,
    );
    expect(description.match(/⚠️ DESTRUCTIVE/g)).toHaveLength(4);
    expect(details).toContain('action_38: Does it. Requires: id');
    expect(details).not.toContain('Actions:');
  });

  it('moves sentences about the whole tool to the discriminator as well', () => {
    const description = 'Everything about people. It reads the directory. It never writes. '.repeat(5).trim();
    const fitted = fit(inputOf({ list: 'Lists' }, { description }), 150);
    expect(fitted.description).toMatch(/^Everything about people\..*\n.*\n- `list`: Lists\. Requires: id$/s);
    expect(fitted.details).toContain('It never writes.');
  });

  it('shortens a table by rows, whose number its header tells', () => {
    const { actions } = inputOf({
      list: 'Lists "all" of them | sorted. And a second sentence that is longer than the first.',
      find: 'Finds some of them, as fast as the index of the workspace allows it.',
      drop: '',
    });
    const tool = inputOf(
      {},
      { actions: actions.map((each, index) => ({ ...each, destructive: index === 2 })) },
    );
    const { description, details } = fit(tool, 205, generateToonDescription);
    expect(description.split('\n')).toEqual([
      'tool. Actions: list, find, drop',
      'More: see `action`.',
      '[3|]{action|desc|required|destructive}:',
      '  list|"Lists \\"all\\" of them | sorted."|id|false',
      '  find|Finds some of them, as fast…|id|false',
      '  drop|""|id|true',
    ]);
    expect(details).toMatch(/^list: And a second sentence.*\nfind: Finds some of them, as fast/);
    expect(fit(tool, 110, generateToonDescription).description).toMatch(
      /\n\[1\|\]\{action\|desc\|required\|destructive\}:\n {2}drop\|""\|id\|true$/,
    );
  });

  it('shortens the lines of a strategy that adds its own text', () => {
    const tool = inputOf({ list: 'Lists people. '.repeat(9), drop: 'Drops people. '.repeat(9) });
    const { description } = fit(
      tool,
      220,
      (input) => `${generateDescription(input)}\n\nAsk before you write.`,
    );
    expect(description).toMatch(/- `drop`: Drops people\..* Requires: id\n\nAsk before you write\.$/);
  });

  it('shortens the lines of a strategy with its own format', () => {
    const tool = inputOf({ list: 'Lists people. '.repeat(9), drop: 'Drops people. '.repeat(9) });
    const own: DescriptionGenerator = ({ actions }) =>
      ['People', ...actions.map(({ key, description }) => `* **${key}** ${description} (${key}!)`)].join(
        '\n',
      );
    expect(fit(tool, 100, own).description).toBe(
      'People\nMore: see `action`.\n* **list** Lists people.\n* **drop** Drops people.',
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
  const listed = (builder: GroupedToolBuilder, profile: 'openai' | 'anthropic' = 'openai') =>
    new ToolRegistry().register(builder).view({ profile }).listTools()[0]!;

  it.each([
    ['openai', 1_024],
    ['anthropic', 2_048],
  ] as const)('keeps the description for %s within %d characters, and uses them', (profile, limit) => {
    const builder = new GroupedToolBuilder('wordy');
    builder.action({ name: 'act', description: 'word '.repeat(1_000), handler: () => 'done' });
    const { length } = listed(builder, profile).description!;
    expect(length).toBeLessThanOrEqual(limit);
    expect(length).toBeGreaterThan(limit - 10);
  });

  it('describes at the discriminator what does not fit', () => {
    const tool = listed(build());
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
