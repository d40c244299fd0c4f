import { fromMcpServer } from '@toolfold/gateway';
import { ToolRegistry } from 'toolfold';

const registry = new ToolRegistry({ name: 'gateway' });
const server = fromMcpServer({ command: 'node', args: ['other-server.mjs'] });
const stop = await server.follow(registry);
console.log(registry.listTools().map(({ name }) => name));
const answer = await registry.executeTool({ name: 'greet', arguments: { name: 'Ada' } });
console.log(answer.content);
stop();
await server.close();
