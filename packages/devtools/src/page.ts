import { randomBytes } from 'node:crypto';
import { createApi } from './api/answer-api.js';
import { Snapshots } from './api/snapshot.js';
import { ApiFailure, sendJson } from './http/answers.js';
import { listenForPage } from './http/page-server.js';
import type { PagePart } from './http/page-server.js';
import { createLive } from './live/live.js';
import type { Live } from './live/live.js';
import { createMcpEndpoint } from './mcp/mcp-endpoint.js';
import type { PageSource } from './page-source.js';
import { TokenThread } from './tokens/token-thread.js';

/** Options of `createPage`. */
export interface PageOptions {
  /** Port on 127.0.0.1; 0 for any free port. Default: 4400, or any free port if it is taken. */
  readonly port?: number | undefined;
  /** Token in the address. Default: 256 random bits. */
  readonly token?: string | undefined;
  /** Called with unexpected errors of the page's server. */
  readonly onError: (error: unknown) => void;
  /** Called with errors of the author's code in calls of the page. Default: writes them to standard error, one line each. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** Thread that counts tokens. Default: a new thread that ends with the page. */
  readonly tokens?: TokenThread | undefined;
}

export interface ServedPage {
  /** Address to open, including its token. */
  readonly url: string;
  /** Ends all streams and connections, and stops listening. */
  close(): Promise<void>;
}

const TOKEN_BYTES = 32;

/** Starts the server of the page. */
export async function createPage(source: PageSource, options: PageOptions): Promise<ServedPage> {
  const { port, token = randomBytes(TOKEN_BYTES).toString('base64url'), onError, onFault } = options;
  const { tokens = new TokenThread() } = options;
  const snapshots = new Snapshots(source, tokens);
  const live = createLive(source, { revision: () => snapshots.revision });
  const mcp = createMcpEndpoint(source, { onError, onFault });
  const routes = [
    ['/api/events', eventsPart(live)],
    ['/api/live', statisticsPart(live)],
    ['/api/', createApi(snapshots)],
    ['/mcp/', { answer: (request, response, url) => mcp.handle(request, response, url) }],
  ] as const satisfies readonly (readonly [string, PagePart])[];
  const end = async (): Promise<void> => {
    snapshots.close();
    live.close();
    await Promise.all([mcp.close(), options.tokens ? undefined : tokens.close()]);
  };
  try {
    const server = await listenForPage({ routes, token, port, onError });
    let closed: Promise<void> | undefined;
    return {
      // Browsers do not send the fragment, so no log contains the token.
      url: `http://127.0.0.1:${server.port}/#token=${token}`,
      close: () => (closed ??= end().finally(() => server.close())),
    };
  } catch (error) {
    await end();
    throw error;
  }
}

function eventsPart(live: Live): PagePart {
  return onlyGet('/api/events', (request, response) => live.events(request, response));
}

function statisticsPart(live: Live): PagePart {
  return onlyGet('/api/live', (_request, response) => sendJson(response, live.statistics()));
}

/** Handles GET requests to a single path. */
function onlyGet(path: string, answer: (...args: Parameters<Live['events']>) => void): PagePart {
  return {
    answer: async (request, response, { pathname }) => {
      if (pathname !== path) throw new ApiFailure('There is no such endpoint.', { status: 404 });
      if (request.method !== 'GET')
        throw new ApiFailure(`${path} is read with GET.`, { status: 405, allow: 'GET' });
      answer(request, response);
    },
  };
}
