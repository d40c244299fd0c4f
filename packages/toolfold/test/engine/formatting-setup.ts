import type { CallToolResult, ErrorReport, ToolRegistryOptions } from 'toolfold';
import { ToolRegistry } from 'toolfold';

export const report = (result: CallToolResult): ErrorReport =>
  result._meta?.['toolfold/error'] as ErrorReport;
export const base = { name: 'get', description: 'Gets', inputSchema: {} };
export const run = (action: object, options: ToolRegistryOptions<unknown> = {}, request: object = {}) =>
  new ToolRegistry(options)
    .register({ ...base, ...action } as never)
    .executeTool({ name: 'get', ...request });
