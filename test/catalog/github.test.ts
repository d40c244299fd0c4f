import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { DefaultValidator } from 'toolfold';
import { createSearchView } from '../../packages/toolfold/test/form-views.js';
import type { JsonSchemaObject } from 'toolfold';
import { byPrefix, countConflicts, countMixed, foldGithub, githubTools } from './github.js';
import { githubToolsets, measureForms, measureSearch } from './github-toolsets.js';

const page = readFileSync(new URL('../../docs/reference/forms.md', import.meta.url), 'utf8');

describe('117 real tools', () => {
  const registry = foldGithub();

  it.each([{ form: 'grouped' }, { form: 'flat' }, { split: 'risk' }] as const)(
    'compile to valid schemas with an object at the root, %s',
    (form) => {
      const ajv = new Ajv2020({ strict: false });
      for (const { name, inputSchema } of registry.view(form).listTools()) {
        expect(ajv.validateSchema(inputSchema), name).toBe(true);
        expect(inputSchema.type).toBe('object');
        for (const keyword of ['allOf', 'anyOf', 'oneOf']) expect(inputSchema).not.toHaveProperty(keyword);
        expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      }
    },
  );

  it('keep their names and schemas when flat, and say that other fields are rejected', () => {
    const flat = new Map(
      registry
        .view({ form: 'flat' })
        .authored!.listTools()
        .map((tool) => [tool.name, tool]),
    );
    expect([...flat.keys()].toSorted()).toEqual(githubTools.map(({ name }) => name).toSorted());
    for (const { name, inputSchema } of githubTools) {
      const { $schema: _, ...expected } = inputSchema;
      // The server of these tools does not say that it rejects other fields; Toolfold does.
      expect(flat.get(name)!.inputSchema, name).toEqual({ ...expected, additionalProperties: false });
    }
  });

  it.each([false, true])(
    'have descriptions of at most 1,024 characters for OpenAI when grouped, with TOON: %s',
    (toon) => {
      const tools = foldGithub({ toon }).view({ profile: 'openai' }).listTools();
      expect(tools).toHaveLength(32);
      expect(tools.filter(({ description = '' }) => description.length > 1024)).toEqual([]);
    },
  );

  it('accept in every form what the original schema accepts', async () => {
    const validator = new DefaultValidator();
    const search = createSearchView(registry, registry.view());
    for (const [prefix, tools] of byPrefix()) {
      for (const { name, inputSchema, annotations } of tools) {
        const input = sample(inputSchema) as Record<string, unknown>;
        expect(validator.compile(inputSchema)(input).ok, name).toBe(true);
        const action = name.slice(prefix.length + 1);
        const grouped = await registry.executeTool({
          name: prefix,
          arguments: { operation: action, ...input },
        });
        expect(grouped, name).not.toHaveProperty('isError');
        expect(
          validator.validateInput(registry.view().tools.get(prefix)!.tool, { operation: action, ...input })
            .ok,
          name,
        ).toBe(true);
        const flat = await registry.executeTool({ name, arguments: input }, registry.view({ form: 'flat' }));
        expect(flat, name).not.toHaveProperty('isError');
        const kind = annotations?.readOnlyHint === true ? 'read' : 'write';
        const call = { address: `${prefix}/${action}`, arguments: input };
        expect(
          await registry.executeTool({ name: `call_${kind}_tool`, arguments: call }, search),
          name,
        ).toEqual(grouped);
      }
    }
  });

  it('have the sizes that docs/reference/forms.md states', async () => {
    const rows = (await measureForms()).map((cells) => `| ${cells.map(shown).join(' | ')} |`);
    expect(page).toContain(`| form | tools | bytes | tokens |\n|---|---|---|---|\n${rows.join('\n')}\n`);
    const { search, describe: described } = await measureSearch('list the open issues of a repository');
    expect(page).toContain(`takes ${search} tokens`);
    expect(page).toContain(`${described} more`);
    const keys = Object.entries(githubToolsets('STATIC').catalog);
    expect(page).toContain(`${keys.length} toolsets`);
    expect(page).toContain(
      `\`issues\` with ${keys.find(([key]) => key === 'issues')?.[1].tools?.length} tools`,
    );
    expect(page).toContain(`Fields whose shapes cannot be merged: ${countConflicts()}.`);
    expect(page).toContain(`${countMixed()} of the ${byPrefix().size} groups`);
  });
});

const shown = (cell: string | number): string => cell.toLocaleString('en-US');

/** Returns a valid value: the required fields, and simple optional ones. */
function sample(schema: JsonSchemaObject): unknown {
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const [type] = [schema['type']].flat();
  switch (type) {
    case 'object': {
      const properties = (schema['properties'] ?? {}) as Record<string, JsonSchemaObject>;
      const entries = Object.entries(properties).map(
        ([name, property]) => [name, sample(property), property] as const,
      );
      return Object.fromEntries(
        entries.filter(([, value, property]) => new DefaultValidator().compile(property)(value).ok),
      );
    }
    case 'array':
      return schema['items'] ? [sample(schema['items'] as JsonSchemaObject)] : [];
    case 'number':
    case 'integer':
      return schema['minimum'] ?? 1;
    case 'boolean':
      return true;
    case 'string':
      return 'x';
    default: {
      const [branch] = ((schema['anyOf'] ?? schema['oneOf']) as JsonSchemaObject[] | undefined) ?? [];
      return branch ? sample(branch) : 'x';
    }
  }
}
