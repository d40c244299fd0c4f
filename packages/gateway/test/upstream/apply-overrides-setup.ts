import { ToolRegistry } from 'toolfold';
import type { ExecuteRequest } from 'toolfold';
import type { JsonSchemaObject } from '@toolfold/schema';
import type { ToolOverrides, UpstreamToolDefinition } from '@toolfold/gateway';
import { applyOverrides, assertOverrides } from '@toolfold/gateway/internal';

export const issueSchema: JsonSchemaObject = {
  type: 'object',
  properties: {
    owner: { type: 'string' },
    title: { type: 'string', minLength: 1 },
    labels: { type: 'array', items: { type: 'string' } },
    limit: { type: 'integer', maximum: 100 },
  },
  required: ['owner', 'title'],
};
export const tool = (name: string, inputSchema: JsonSchemaObject = issueSchema): UpstreamToolDefinition => ({
  name,
  description: `Does ${name}`,
  inputSchema,
  metadata: { inputJsonSchema: inputSchema, allowNarrower: true, annotations: { readOnlyHint: false } },
  handler: ({ input }: { input: unknown }) => JSON.stringify(input),
});

export function offer(tools: readonly UpstreamToolDefinition[], overrides: unknown) {
  assertOverrides('overrides', overrides);
  const skipped: string[] = [];
  const warnings: string[] = [];
  const definitions = applyOverrides(tools, overrides as ToolOverrides, {
    skip: (name, reason) => skipped.push(`${name}: ${reason}`),
    warn: (message) => warnings.push(message),
  });
  const registry = new ToolRegistry({ name: 'proxy' }).register(...definitions);
  const call = async (request: ExecuteRequest): Promise<string> => {
    const { content } = await registry.executeTool(request);
    return content[0]?.type === 'text' ? content[0].text : '';
  };
  return { registry, call, skipped, warnings, listed: registry.view({ profile: 'none' }).listTools() };
}
