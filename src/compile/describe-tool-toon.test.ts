import { decode } from '@toon-format/toon';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readSchema } from '../schema/read/read-schema.js';
import { requiredFields } from '../schema/read/schema-fields.js';
import { deepFreeze } from '../values/json-value.js';
import { summarize, generateToonDescription } from './describe-tool.js';
import type { DescribedAction, DescriptionInput } from './describe-tool.js';
import { runs } from '../../test/runs.js';

const action = (
  actionName: string,
  groupName?: string,
  { required = [], ...rest }: Partial<DescribedAction> & { required?: readonly string[] } = {},
): DescribedAction => ({
  key: groupName === undefined ? actionName : `${groupName}.${actionName}`,
  actionName,
  groupName,
  input: { required },
  ...rest,
});

/** The text after the summary. */
const table = (tool: DescriptionInput): string => {
  const text = generateToonDescription(tool);
  expect(text.startsWith(`${summarize(tool)}\n`)).toBe(true);
  return text.slice(summarize(tool).length + 1);
};

const flat: DescriptionInput = {
  name: 'users',
  description: 'Manages users',
  hasGroup: false,
  actions: [
    action('list'),
    action('create', undefined, { description: 'Adds a user', required: ['email', 'role'] }),
    action('ban', undefined, { description: 'Bans | locks out', required: ['id'], destructive: true }),
  ],
};

const grouped: DescriptionInput = {
  name: 'platform',
  description: 'Users and billing',
  hasGroup: true,
  actions: [
    action('list', 'users'),
    action('refund', 'billing', { description: 'Pays back', required: ['id'], destructive: true }),
    action('ban', 'users', { destructive: true }),
  ],
};

describe('the TOON description', () => {
  it('is a readable summary line, then a table with pipes [S000-63] [S001-09]', () => {
    expect(generateToonDescription(flat).split('\n')).toEqual([
      'Manages users. Actions: list, create, ban',
      '[3|]{action|desc|required|destructive}:',
      '  list|""|""|false',
      '  create|Adds a user|email,role|false',
      '  ban|"Bans | locks out"|id|true',
    ]);
  });

  it('describes each group once, before the table', () => {
    const described = grouped.actions.map((each) =>
      each.groupName === 'users' ? { ...each, groupDescription: 'People of\n a workspace' } : each,
    );
    const lines = generateToonDescription({ ...grouped, actions: described }).split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'Users and billing. Modules: users (list,ban) | billing (refund)',
      '- `users`: People of a workspace',
      'users[2|]{action|desc|required|destructive}:',
    ]);
  });

  it('of a flat tool decodes to a row per action, every row with every column [S000-64]', () => {
    expect(decode(table(flat))).toEqual([
      { action: 'list', desc: '', required: '', destructive: false },
      { action: 'create', desc: 'Adds a user', required: 'email,role', destructive: false },
      { action: 'ban', desc: 'Bans | locks out', required: 'id', destructive: true },
    ]);
  });

  it('of a grouped tool decodes to the rows of each group [S000-65]', () => {
    expect(generateToonDescription(grouped)).toContain('Modules: users (list,ban) | billing (refund)\n');
    expect(table(grouped)).toContain('users[2|]{action|desc|required|destructive}:');
    expect(decode(table(grouped))).toEqual({
      users: [
        { action: 'list', desc: '', required: '', destructive: false },
        { action: 'ban', desc: '', required: '', destructive: true },
      ],
      billing: [{ action: 'refund', desc: 'Pays back', required: 'id', destructive: true }],
    });
  });

  it('takes the required fields from the schema of the action [S000-80]', () => {
    const input = readSchema(z.object({ id: z.string(), limit: z.number().default(1), name: z.string() }));
    const tool = { name: 'x', hasGroup: false, actions: [{ ...action('go'), input }] };
    expect(decode(table(tool))).toMatchObject([{ required: requiredFields(input.fields).join(',') }]);
    expect(decode(table(tool))).toMatchObject([{ required: 'id,name' }]);
  });

  it('decodes to the same rows, for any text of the author', () => {
    const odd = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '',
        ' ',
        '-',
        '- a',
        'true',
        'null',
        '05',
        '1e5',
        '[1]',
        '{a}',
        'a|b',
        'a,b',
        '"',
        '\\',
        '#',
      ),
      fc.constantFrom(
        'a\nb',
        '\t',
        '\r\n',
        '⚠️',
        ':',
        'a: b',
        '[2|]{a|b}:',
        '__proto__',
        'constructor',
        '\u0000',
      ),
    );
    const actions = fc.array(
      fc.record({
        actionName: odd,
        description: fc.option(odd, { nil: undefined }),
        required: fc.array(odd, { maxLength: 3 }),
        destructive: fc.constantFrom(true, false, undefined),
        groupName: odd,
      }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(actions, fc.boolean(), (rows, hasGroup) => {
        const tool: DescriptionInput = {
          name: 'x',
          hasGroup,
          actions: rows.map(({ actionName, groupName, ...rest }) =>
            action(actionName, hasGroup ? groupName : undefined, rest),
          ),
        };
        const toRow = ({ actionName, description, required, destructive }: (typeof rows)[number]) => ({
          action: actionName,
          desc: description ?? '',
          required: required.join(','),
          destructive: destructive ?? false,
        });
        const groups = rows.map(({ groupName }): [string, unknown] => [
          groupName,
          rows.filter((row) => row.groupName === groupName).map(toRow),
        ]);
        const expected = hasGroup ? Object.fromEntries(groups) : rows.map(toRow);
        expect(decode(table(tool))).toEqual(expected);
      }),
      { numRuns: runs(500) },
    );
  });

  it('is a pure function of the tool', () => {
    for (const tool of [flat, grouped]) {
      const frozen = deepFreeze(structuredClone(tool));
      const first = generateToonDescription(frozen);
      expect(generateToonDescription(frozen)).toBe(first);
      expect(generateToonDescription(structuredClone(tool))).toBe(first);
    }
  });
});
