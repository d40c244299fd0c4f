import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { listen } from '../work.mjs';
import { sdkServers } from './sdk.mjs';

/**
 * Sessions of the SDK as its documentation shows them: a server and a transport per session, in a map. It answers with
 * JSON and uses the fastest of the tested adapters between Node and the web standard.
 *
 * @param {string} catalog
 */
export async function serve(catalog) {
  const createSdkServer = await sdkServers(catalog);
  /** @type {Map<string, WebStandardStreamableHTTPServerTransport>} */
  const sessions = new Map();
  const open = async () => {
    /** @type {WebStandardStreamableHTTPServerTransport} */
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await createSdkServer().connect(transport);
    return transport;
  };
  return listen(
    createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const transport = sessions.get(String(request.headers['mcp-session-id'])) ?? (await open());
      const answer = await transport.handleRequest(
        new Request(`http://localhost${request.url}`, {
          method: 'POST',
          headers: /** @type {Record<string, string>} */ (request.headers),
          body: Buffer.concat(chunks),
        }),
      );
      const body = Buffer.from(await answer.arrayBuffer());
      response.writeHead(answer.status, {
        ...Object.fromEntries(answer.headers),
        'content-length': body.length,
      });
      response.end(body);
    }),
  );
}
