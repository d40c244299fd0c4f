import { checkTools, lowerTool } from '@toolfold/profiles';

const tool = {
  name: 'orders.find',
  inputSchema: { type: 'object', properties: { 'filter[status]': { type: 'string' } } },
} as const;
for (const { rule, message } of checkTools([tool], 'cursor')) console.log(`${rule}: ${message}`);
const lowered = lowerTool(tool, 'cursor');
console.log(lowered.tool.name, lowered.tool.inputSchema['properties']);
console.log(lowered.decode?.({ filter_status: 'open' }));
