import { defineServer, keyFile } from 'toolfold/node';
import { registry } from './registry.js';

export default defineServer({
  registry,
  view: { form: 'auto' },
  http: { port: 8080, auth: keyFile('keys.json') },
  stdio: { auth: { clientId: 'local', scopes: ['books:write'] } },
});
