import { compare, countTokens, lint } from '@toolfold/analysis';

const before = { name: 'greet', description: 'Greets a person', inputSchema: { type: 'object' } } as const;
const after = { ...before, inputSchema: { ...before.inputSchema, required: ['name'] } };
for (const { severity, rule, tool } of lint([before])) console.log(`${severity} in ${tool}: ${rule}`);
console.log(await countTokens([before]));
for (const { severity, message } of (await compare([before], [after])).changes)
  console.log(`${severity}: ${message}`);
