import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { profileNames } from '@toolfold/profiles';
import { readActions } from './read-actions.js';

const handler = () => 'done';
const actionsOf = (builder: GroupedToolBuilder<unknown, string, unknown, unknown, never>) =>
  new Map(
    readActions(
      new ToolRegistry().register(builder).view({ profile: 'anthropic' }).listTools()[0]!,
    ).actions.map(({ key, inputSchema }) => [key, inputSchema]),
  );

describe('the actions of a grouped tool, read from its list', () => {
  it('have the fields that are marked for them', () => {
    const actions = actionsOf(
      new GroupedToolBuilder('notes')
        .commonSchema({ workspace: z.string().describe('Where') })
        .action({ name: 'list', inputSchema: { limit: z.int().optional() }, handler })
        .action({ name: 'write', inputSchema: { text: z.string().describe('What') }, handler }),
    );
    expect(actions.get('list')).toEqual({
      type: 'object',
      properties: {
        workspace: { type: 'string', description: 'Where' },
        limit: { type: 'integer', description: '' },
      },
      required: ['workspace'],
      additionalProperties: false,
    });
    expect(actions.get('write')).toMatchObject({
      properties: { text: { description: 'What.' } },
      required: ['workspace', 'text'],
    });
  });

  it('have the rule for other fields only if it is marked for them', () => {
    const actions = actionsOf(
      new GroupedToolBuilder('notes')
        .action({ name: 'write', inputSchema: { text: z.string() }, handler })
        .action({ name: 'import', inputSchema: z.record(z.string(), z.number()), handler }),
    );
    expect(actions.get('import')).toMatchObject({ additionalProperties: { type: 'number' } });
    expect(actions.get('write')).not.toHaveProperty('additionalProperties');
  });

  it('have their own description of a field that several actions declare', () => {
    const actions = actionsOf(
      new GroupedToolBuilder('market')
        .action({ name: 'prices', inputSchema: { from: z.string().describe('First day') }, handler })
        .action({
          name: 'convert',
          inputSchema: { from: z.string().describe('Currency. In doubt: EUR') },
          handler,
        })
        .action({ name: 'rates', inputSchema: { from: z.string().describe('first day.') }, handler }),
    );
    const texts = [...actions].map(([key, { properties }]) => [
      key,
      (properties as { from: { description: string } }).from.description,
    ]);
    expect(texts).toEqual([
      ['prices', 'First day.'],
      ['convert', 'Currency. In doubt: EUR.'],
      ['rates', 'First day.'],
    ]);
  });

  it.each(profileNames)(
    'have the same fields and required fields in the list of the profile %s',
    (profile) => {
      const day = z.iso.date().describe('Day. For: list of days');
      const builder = new GroupedToolBuilder('plan')
        .commonSchema({
          workspace: z.uuid().describe('Workspace'),
          'trace[id]': z.int().multipleOf(5).optional(),
        })
        .action({ name: 'list', inputSchema: { from: day.optional(), 'filter[name]': z.string() }, handler })
        .action({
          name: 'create',
          inputSchema: { from: day, at: z.tuple([z.number(), z.string()]) },
          handler,
        })
        .action({
          name: 'create all',
          inputSchema: {
            id: z.union([z.iso.date(), z.int().positive()]),
            note: z.iso.time().nullable().optional(),
          },
          handler,
        });
      const [tool] = new ToolRegistry().register(builder).view({ profile }).listTools();
      const shown = readActions(tool!).actions.map(({ key, inputSchema }) => [
        key,
        Object.keys(inputSchema['properties'] as object).filter((name) => name !== 'additional_fields'),
        inputSchema['required'],
      ]);
      const names = Object.keys(tool!.inputSchema['properties'] as object);
      const [trace = '', filter = ''] = ['trace', 'filter'].map((word) =>
        names.find((name) => name.startsWith(word)),
      );
      expect(shown).toEqual([
        ['list', ['workspace', trace, 'from', filter], ['workspace', filter]],
        ['create', ['workspace', trace, 'from', 'at'], ['workspace', 'from', 'at']],
        ['create all', ['workspace', trace, 'id', 'note'], ['workspace', 'id']],
      ]);
      // The marks are gone, and the texts of the author and the notes of the profile are left.
      const texts = JSON.stringify(readActions(tool!).actions);
      expect(texts).not.toMatch(/always required|Required for|For: (?:list(?! of days)|create)/);
      expect(texts).toContain('Day. For: list of days.');
    },
  );
});
