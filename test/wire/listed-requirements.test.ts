import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { McpTool } from '@toolfold/profiles';
import { foldGithub } from '../catalog/github.js';
import { listOverHttp, serveRaw } from './raw-clients.js';

const handler = (): string => 'done';

const notes = () =>
  new GroupedToolBuilder('notes')
    .description('Notes of a workspace')
    .commonSchema(z.object({ workspace: z.string().describe('Workspace') }))
    .action({
      name: 'list',
      description: 'Lists notes',
      readOnly: true,
      idempotent: true,
      inputSchema: z.object({ limit: z.int().default(20).describe('Rows'), words: z.string().optional() }),
      handler,
    })
    .action({
      name: 'create',
      description: 'Writes a note',
      idempotent: true,
      inputSchema: z.object({ title: z.string().describe('Title'), body: z.string() }),
      handler,
    })
    .action({
      name: 'update',
      description: 'Changes a note',
      destructive: true,
      idempotent: true,
      inputSchema: z.object({ id: z.string(), title: z.string().optional(), body: z.string() }),
      handler,
    });

const greet = {
  name: 'greet',
  title: 'Greet',
  description: 'Greets somebody',
  inputSchema: z.object({
    who: z
      .string()
      .min(2)
      .meta({ examples: ['Ada'] }),
    times: z.number().max(9).optional(),
  }),
  metadata: { annotations: { readOnlyHint: true, team: 'people' } },
  handler,
};

/** The tool that a server with default options lists in both eras. */
async function listed(tool: ReturnType<typeof notes> | typeof greet): Promise<McpTool> {
  const [first] = await listOverHttp(new ToolRegistry().register(tool as never));
  return first as McpTool;
}

const fieldsOf = ({ inputSchema }: McpTool) =>
  inputSchema['properties'] as Readonly<Record<string, Readonly<Record<string, unknown>>>>;

describe('the default list over HTTP, in both eras', () => {
  it('has one object for a grouped tool: the discriminator with all keys, then the fields [S000-45] [S001-07] [S001-13]', async () => {
    const tool = await listed(notes());
    expect(tool.inputSchema).toMatchObject({ type: 'object', required: ['action', 'workspace'] });
    expect(Object.keys(fieldsOf(tool))).toEqual([
      'action',
      'workspace',
      'limit',
      'words',
      'title',
      'body',
      'id',
    ]);
    expect(fieldsOf(tool)['action']).toMatchObject({ type: 'string', enum: ['list', 'create', 'update'] });
  });

  it('marks the fields of a grouped tool in four tiers [S000-49] [S000-50] [S000-51] [S000-52] [S000-53]', async () => {
    const { workspace, body, title, limit } = fieldsOf(await listed(notes()));
    expect(workspace?.['description']).toBe('Workspace (always required)');
    expect(body?.['description']).toBe('Required for: create, update');
    expect(title?.['description']).toMatch(/^Title\W+Required for: create\. For: update$/);
    expect(limit?.['description']).toMatch(/^Rows\W.*For: list/);
  });

  it('aggregates the hints of the actions [S000-67] [S000-68] [S000-69]', async () => {
    expect((await listed(notes())).annotations).toMatchObject({
      destructiveHint: true,
      idempotentHint: true,
    });
    expect((await listed(notes())).annotations?.readOnlyHint).not.toBe(true);
  });

  it('describes a grouped tool by a summary and its actions, with warnings [S000-54] [S000-59] [S000-62]', async () => {
    const { description = '' } = await listed(notes());
    expect(description).toMatch(/^Notes of a workspace\W+Actions: list, create, update$/m);
    expect(description).toMatch(/`create`.*title, body/);
    expect(description).toMatch(/`update`.*⚠️ DESTRUCTIVE$/m);
  });

  it('shows name, description and converted schema of a definition, which is valid 2020-12 [S004-03] [S004-08] [S004-25]', async () => {
    const tool = await listed(greet);
    expect(tool).toMatchObject({ name: 'greet', description: 'Greets somebody' });
    expect(tool.inputSchema).toEqual({
      ...z.toJSONSchema(greet.inputSchema, { io: 'input' }),
      additionalProperties: false,
    });
    expect(new Ajv2020({ strict: false, validateFormats: false }).validateSchema(tool.inputSchema)).toBe(
      true,
    );
  });

  it('has the annotations of the metadata: hints by their names, all others in _meta [S004-19]', async () => {
    const { annotations, _meta } = await listed(greet);
    expect(annotations).toMatchObject({ readOnlyHint: true });
    expect(_meta).toMatchObject({ team: 'people' });
  });

  it('is what registry.listTools() returns', async () => {
    for (const registry of [foldGithub(), new ToolRegistry().register(notes(), greet)]) {
      const [modern, session] = await (await serveRaw(registry))();
      expect(await modern?.list()).toEqual(JSON.parse(JSON.stringify(registry.listTools())));
      expect(await session?.list()).toEqual(
        JSON.parse(JSON.stringify(registry.view().listTools('2025-11-25'))),
      );
    }
  });
});
