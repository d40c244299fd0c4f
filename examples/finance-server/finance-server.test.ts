import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ToolRegistry } from 'toolfold';
import { Toolsets, Exposure } from 'toolfold/web';
import type { JsonSchemaObject, View } from 'toolfold';
import type { ToolsetConfig } from 'toolfold/web';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerFunctions } from './modules.js';
import { catalog, configure } from './server.js';
import { startUpstream } from './upstream.js';
import type { Upstream } from './upstream.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

async function open(config: ToolsetConfig) {
  const registry = new ToolRegistry({ name: 'finance' });
  const toolsets = new Toolsets(registry, config);
  const session = toolsets.contextOf();
  return { registry, session, view: await toolsets.view(toolsets.startup, session) };
}

describe('the 253 tools of a server from npm', () => {
  let upstream: Upstream;
  beforeAll(async () => void (upstream = await startUpstream()));
  afterAll(() => upstream.close());

  it.each([
    ['flat', 253],
    ['grouped', 28],
  ] as const)('compile to schemas that every client accepts, %s', async (form, count) => {
    const { view } = await open(configure(['--all-tools'], form));
    const ajv = new Ajv2020({ strict: false });
    const tools = view.listTools();
    expect(new Set(tools.map(({ name }) => name)).size).toBe(count);
    expect(tools).toHaveLength(count);
    for (const { name, description, inputSchema, annotations } of tools) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(description?.trim(), name).toBeTruthy();
      expect(ajv.validateSchema(inputSchema), name).toBe(true);
      expect(inputSchema['type'], name).toBe('object');
      for (const keyword of ['allOf', 'anyOf', 'oneOf', '$ref', '$defs', '$schema'])
        expect(inputSchema, name).not.toHaveProperty(keyword);
      expect(annotations, name).toMatchObject({ readOnlyHint: true, openWorldHint: true });
    }
  });

  it.each(['flat', 'grouped'] as const)(
    'each reach the service with the key of the server, %s',
    async (form) => {
      const flat = await open(configure(['--all-tools']));
      const { registry, session, view } = await open(configure(['--all-tools'], form));
      for (const { name, inputSchema } of flat.view.listTools()) {
        const asked = upstream.requests.length;
        const args = sample(inputSchema) as Record<string, unknown>;
        const request =
          form === 'flat'
            ? { name, arguments: args }
            : { name: toolOf(view, name), arguments: { action: name, ...args } };
        const result = await registry.executeTool({ ...request, session }, view);
        expect(result, `${name} ${JSON.stringify(result)}`).not.toHaveProperty('isError');
        const requests = upstream.requests.slice(asked);
        expect(requests.length, name).toBeGreaterThan(0);
        for (const { apiKey } of requests) expect(apiKey, name).toBe('key-of-the-server');
      }
    },
  );

  it('are listed like the original server lists them', async () => {
    const server = new McpServer({ name: 'finance', version: '1.0.0' });
    for (const register of Object.values(registerFunctions)) register(server, 'key-of-the-server');
    const client = new Client({ name: 'test', version: '1.0.0' });
    const [ofServer, ofClient] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(ofServer), client.connect(ofClient)]);
    const { tools } = await client.listTools();
    await client.close();
    const exposure = new Exposure(new ToolRegistry({ name: 'finance' }), {
      toolsets: configure(['--all-tools']),
      view: { profile: 'none' },
    });
    const view = await exposure.viewFor({ protocolVersion: '2025-11-25' });
    const listed = new Map(view.listTools('2025-11-25').map((tool) => [tool.name, tool]));
    expect(listed.size).toBe(tools.length);
    for (const { name, description, inputSchema } of tools) {
      // Toolfold omits the dialect.
      const [expected, own]: unknown[] = [inputSchema, listed.get(name)?.inputSchema].map(withoutDialect);
      expect(listed.get(name), name).toMatchObject({ description });
      expect(own, name).toEqual(expected);
    }
  });

  it('have the sizes that docs/guides/existing-server.md states', async () => {
    const page = readFileSync(`${root}docs/guides/existing-server.md`, 'utf8');
    const number = (value: number): string => value.toLocaleString('en-US');
    const all = { toolsets: configure(['--all-tools']) };
    const two = ['--tool-sets=quotes,company'];
    const modern = { protocolVersion: '2026-07-28' };
    const session = {
      protocolVersion: '2025-11-25',
      enabledToolsets: { current: undefined, change: async () => {} },
    };
    const rows = [
      ['all tools', all, modern],
      ['one tool per module', { toolsets: configure(['--all-tools'], 'grouped') }, modern],
      ['toolsets `quotes` and `company`', { toolsets: configure(two) }, modern],
      ['the same, one tool per module', { toolsets: configure(two, 'grouped') }, modern],
      ['search', { ...all, view: { form: 'search' } }, modern],
      ['dynamic, nothing enabled', { toolsets: configure(['--dynamic-tool-discovery']) }, session],
    ] as const;
    for (const [what, options, request] of rows) {
      const view = await new Exposure(new ToolRegistry({ name: 'finance' }), options).viewFor(request);
      const bytes = Buffer.byteLength(`{"tools":${view.listPages()[0]}}`);
      expect(page).toContain(`| ${what} | ${view.tools.size} | ${number(bytes)} |`);
    }
    expect(Object.keys(catalog)).toHaveLength(24);
  });

  it('fit the types of an adapter', () => {
    const tsc = `${root}node_modules/typescript/bin/tsc`;
    execFileSync(process.execPath, [tsc, '-p', fileURLToPath(new URL('./', import.meta.url))], { cwd: root });
  });
});

/** Finds the grouped tool that contains an action. */
function toolOf(view: View, action: string): string {
  const [name] = [...view.tools].find(([, tool]) => enumOf(tool.tool.inputSchema).includes(action)) ?? [];
  if (name === undefined) throw new Error(`No tool has an action ${action}`);
  return name;
}

function enumOf(schema: JsonSchemaObject): readonly unknown[] {
  const { action } = schema['properties'] as Record<string, JsonSchemaObject>;
  return (action?.['enum'] as unknown[] | undefined) ?? [];
}

/** Returns a value that the schema accepts. */
function sample(schema: JsonSchemaObject): unknown {
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  switch (schema['type']) {
    case 'object': {
      const fields = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchemaObject>);
      return Object.fromEntries(fields.map(([name, field]) => [name, sample(field)]));
    }
    case 'array':
      return [sample(schema['items'] as JsonSchemaObject)];
    case 'number':
    case 'integer':
      return schema['minimum'] ?? 1;
    case 'boolean':
      return true;
    default:
      return schema['pattern'] === undefined ? 'ACME' : '2026-01-30';
  }
}

/** A schema without its dialect, and without the keyword that only one of the servers writes. */
function withoutDialect(schema: unknown): unknown {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === '$schema' || (key === 'additionalProperties' && value === false) ? undefined : value,
    ),
  );
}
