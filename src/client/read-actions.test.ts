import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { ToolRegistry } from '../registry/tool-registry.js';
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
});
