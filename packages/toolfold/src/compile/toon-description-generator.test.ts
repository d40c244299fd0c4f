import { decode } from '@toon-format/toon';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readSchema } from '@toolfold/schema';
import { requiredFields } from '../../../schema/src/read/schema-fields.js';
import { deepFreeze } from '@toolfold/schema/internal';
import type { DescriptionInput } from './description-generator.js';
import { generateToonDescription } from './toon-description-generator.js';
import { action, table } from '../../test/compile/toon-description-generator-setup.js';

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

  it('is a pure function of the tool', () => {
    for (const tool of [flat, grouped]) {
      const frozen = deepFreeze(structuredClone(tool));
      const first = generateToonDescription(frozen);
      expect(generateToonDescription(frozen)).toBe(first);
      expect(generateToonDescription(structuredClone(tool))).toBe(first);
    }
  });
});
