import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readSchema } from '@toolfold/schema';
import { requiredFields } from '../../../schema/src/read/schema-fields.js';
import { deepFreeze } from '@toolfold/schema/internal';
import { generateDescription, getGroupSummaries, summarize } from './description-generator.js';
import type { DescribedAction } from './description-generator.js';

/** A hand-made action as a description sees it, without builder or registry. */
const action = (
  key: string,
  { required = [], ...rest }: Partial<DescribedAction> & { required?: readonly string[] } = {},
): DescribedAction => {
  const [group, name] = key.includes('.') ? key.split('.') : [undefined, key];
  return { key, actionName: name ?? key, groupName: group, input: { required }, ...rest };
};

const flat = [action('list'), action('create'), action('delete')];
const grouped = ['users.list', 'users.create', 'users.ban', 'billing.invoices', 'billing.refund'].map((key) =>
  action(key),
);

describe('the summary', () => {
  it('of a flat tool is its description and its actions [S000-56] [S000-58]', () => {
    expect(summarize({ name: 'users', description: 'Manages users', actions: flat, hasGroup: false })).toBe(
      'Manages users. Actions: list, create, delete',
    );
  });

  it('of a grouped tool lists its modules [S000-57]', () => {
    expect(
      summarize({ name: 'platform', description: 'Users and billing', actions: grouped, hasGroup: true }),
    ).toBe('Users and billing. Modules: users (list,create,ban) | billing (invoices,refund)');
  });

  it('collects the modules by group, in order of first mention [S000-61]', () => {
    expect(getGroupSummaries(grouped)).toEqual(['users (list,create,ban)', 'billing (invoices,refund)']);
    const mixed = ['b.one', 'a.one', 'b.two'].map((key) => action(key));
    expect(getGroupSummaries(mixed)).toEqual(['b (one,two)', 'a (one)']);
    expect(getGroupSummaries([action('constructor.a'), action('__proto__.b')])).toEqual([
      'constructor (a)',
      '__proto__ (b)',
    ]);
  });

  it.each([
    ['Manages users.', 'Manages users. Actions: list'],
    [' Manages users! ', 'Manages users! Actions: list'],
    ['Which user?', 'Which user? Actions: list'],
    ['', 'users. Actions: list'],
    ['  ', 'users. Actions: list'],
    [undefined, 'users. Actions: list'],
  ])('of %j ends the sentence before the list', (description, summary) => {
    expect(summarize({ name: 'users', description, actions: [action('list')], hasGroup: false })).toBe(
      summary,
    );
  });
});

describe('the description', () => {
  it('is a summary, then a list of actions in Markdown [S000-54] [S000-59] [S001-08]', () => {
    const text = generateDescription({
      name: 'platform',
      description: 'Users and billing',
      hasGroup: true,
      actions: [
        action('users.list', { description: 'Lists users' }),
        action('users.create', { description: 'Adds a user', required: ['email', 'role'] }),
        action('users.ban', { required: ['id'], destructive: true }),
      ],
    });
    expect(text.split('\n')).toEqual([
      'Users and billing. Modules: users (list,create,ban)',
      '',
      'Details:',
      '- `users.list`: Lists users',
      '- `users.create`: Adds a user. Requires: email, role',
      '- `users.ban`: Requires: id ⚠️ DESTRUCTIVE',
    ]);
  });

  it('has a line only for actions with details [S000-60]', () => {
    const silent = action('list', { destructive: false, description: ' ' });
    const text = generateDescription({
      name: 'x',
      hasGroup: false,
      actions: [silent, action('drop', { destructive: true })],
    });
    expect(text).toBe('x. Actions: list, drop\n\nDetails:\n- `drop`: ⚠️ DESTRUCTIVE');
    expect(generateDescription({ name: 'x', hasGroup: false, actions: [silent] })).toBe('x. Actions: list');
  });

  it('marks exactly the destructive actions, at the end of their line [S000-62]', () => {
    const lines = generateDescription({
      name: 'x',
      hasGroup: false,
      actions: [
        action('get', { description: 'Reads', required: ['id'] }),
        action('drop', { description: 'Drops', required: ['id'], destructive: true }),
        action('put', { description: 'Writes', destructive: false }),
      ],
    }).split('\n');
    expect(lines.filter((line) => line.endsWith('⚠️ DESTRUCTIVE'))).toEqual([
      '- `drop`: Drops. Requires: id ⚠️ DESTRUCTIVE',
    ]);
    expect(lines.filter((line) => line.includes('DESTRUCTIVE'))).toHaveLength(1);
  });

  it('takes the required fields from the schema of the action [S000-79]', () => {
    const source = z.union([
      z.object({ id: z.string(), limit: z.number().default(1), a: z.string() }),
      z.object({ id: z.string(), name: z.string().optional(), a: z.string() }),
    ]);
    const input = readSchema(source);
    const text = generateDescription({ name: 'x', hasGroup: false, actions: [{ ...action('go'), input }] });
    expect(text).toContain(`- \`go\`: Requires: ${requiredFields(input.fields).join(', ')}`);
    expect(text).toContain('Requires: id, a');
  });

  it('has one line per action, for any text of the author', () => {
    const text = generateDescription({
      name: 'x',
      hasGroup: false,
      actions: [action('a', { description: '\nFirst.\n\n  - `b`: is not a line\r\n' }), action('c')],
    });
    expect(text.split('\n').slice(3)).toEqual(['- `a`: First. - `b`: is not a line']);
  });

  it('is a pure function of the tool', () => {
    const tool = () => ({
      name: 'x',
      description: 'X',
      hasGroup: true,
      actions: grouped.map((each) => ({ ...each })),
    });
    const frozen = deepFreeze(tool());
    const first = generateDescription(frozen);
    expect(generateDescription(frozen)).toBe(first);
    expect(generateDescription(tool())).toBe(first);
  });
});
