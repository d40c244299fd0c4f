/** An HTTP API from its specification, in a worker. */
import { ToolRegistry } from 'toolfold';
import { fromOpenAPI } from '@toolfold/openapi';
import { createHandler } from 'toolfold/web';

const spec = `
openapi: 3.1.0
servers: [{ url: https://api.museum.example }]
paths:
  /events: { get: { operationId: listEvents } }
`;
const handler = createHandler(new ToolRegistry({ name: 'museum' }).register(fromOpenAPI(spec)));

export default { fetch: (request: Request): Promise<Response> => handler.fetch(request) };
