import { createHandler } from 'toolfold/web';
import { registry } from './registry.js';

const handler = createHandler(registry);

export default {
  fetch: (request: Request): Promise<Response> =>
    handler.fetch(request, { address: request.headers.get('cf-connecting-ip') ?? undefined }),
};
