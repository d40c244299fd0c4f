import { Group, Tool, readSchema, toMCPJSON } from 'toolfold';
import * as z from 'zod';

const input = readSchema(
  z.object({ workspace_id: z.string().describe('Workspace'), limit: z.number().max(100).default(20) }),
);
const list = new Tool({ name: 'list_users', namespace: 'acme', inputSchema: input.jsonSchema });

const platform = new Group({ name: 'platform' });
platform.add(new Group({ name: 'users' }).add(list)).add(new Group({ name: 'admin' }).add(list));

console.log(list.toolID(), 'is', list.getFullyQualifiedNames().join(' and '));
console.log(toMCPJSON(list));
console.log(JSON.stringify(await input.validate({ workspace_id: 'w1' })));
console.log(JSON.stringify(await input.validate({ limit: 500 })));
