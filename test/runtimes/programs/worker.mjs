import { createHandler } from 'toolfold/web';
import { registry } from './registry.mjs';

const handler = createHandler(registry);

export default { fetch: (request) => handler.fetch(request) };
