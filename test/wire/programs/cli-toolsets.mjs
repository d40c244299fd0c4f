// A JavaScript server with toolsets: their configuration is exported beside the registry.
import { ToolRegistry } from 'toolfold';

const tool = (name, readOnly) => ({
  name,
  description: `Does ${name}`,
  readOnly,
  inputSchema: {},
  handler: ({ context }) => `${name} for ${context.session.accessToken}`,
});

export const registry = new ToolRegistry({ name: 'sets', version: '1.0.0' });
registry.register(tool('ping', true));
export const toolsets = {
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
