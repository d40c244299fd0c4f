import { codeForm } from '@toolfold/code';
import { ToolRegistry } from 'toolfold';
import { Exposure } from 'toolfold/web';

const registry = new ToolRegistry({ name: 'acme' }).register({
  name: 'double',
  description: 'Doubles a number',
  readOnly: true,
  inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  handler: ({ input }) => ({ n: Number(input['n']) * 2 }),
});
const view = await new Exposure(registry, { view: { form: codeForm() } }).viewFor({});
const code = 'const { n } = await tools.double({ n: 20 }); n + 2';
const answer = await registry.executeTool({ name: 'run_code', arguments: { code } }, view);
console.log(answer.content);
