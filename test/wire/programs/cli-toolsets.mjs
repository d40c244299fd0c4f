// A JavaScript server with toolsets.
import { ToolRegistry } from 'toolfold';
import { defineServer } from 'toolfold/node';

const tool = (name, readOnly) => ({
  name,
  description: `Does ${name}`,
  readOnly,
  inputSchema: {},
  handler: ({ context }) => `${name} for ${context.session.accessToken}`,
});

const registry = new ToolRegistry({ name: 'sets', version: '1.0.0' });
registry.register(tool('ping', true));
const toolsets = {
  catalog: {
    users: { name: 'Users', description: 'People', modules: ['users'] },
    billing: { name: 'Billing', description: 'Money', modules: ['billing', 'users'] },
  },
  moduleLoaders: {
    users: () => [tool('list_users', true), tool('add_user', false)],
    billing: () => [tool('pay', false)],
  },
  startup: { mode: 'DYNAMIC' },
  context: { accessToken: 'the-server' },
  exposurePolicy: { maxActiveToolsets: 1 },
};

export default defineServer({ registry, toolsets });
