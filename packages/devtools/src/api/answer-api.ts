import type { IncomingMessage, ServerResponse } from 'node:http';
import { CommandError, isToolfoldError, UsageError, yieldToEventLoop } from '@toolfold/analysis/internal';
import { didYouMean, nearestName } from '@toolfold/schema/internal';
import { toLine } from 'toolfold/internal';
import { ApiFailure, sendJson } from '../http/answers.js';
import type { PagePart } from '../http/page-server.js';
import { readJsonBody } from '../http/read-request.js';
import { routes } from './routes.js';
import type { ApiRequest, Route } from './routes.js';
import { StaleSnapshot } from './snapshot.js';
import type { Snapshots } from './snapshot.js';

/** A request is retried if the tools change while it is answered, at most this often. */
const MAX_ATTEMPTS = 5;

export function createApi(snapshots: Snapshots): PagePart {
  return {
    answer: async (request, response, url) => {
      const route = findRoute(request, url);
      const signal = signalOf(request, response);
      try {
        const body = route.method === 'POST' ? await readJsonBody(request, signal) : undefined;
        const answer = await answerRoute(route, snapshots, { url, body, signal });
        // Serialising thousands of tools takes as long as a step of the analysis.
        await yieldToEventLoop(signal);
        sendJson(response, answer);
      } catch (error) {
        // The client has closed the connection, so the error cannot be delivered.
        if (!signal.aborted) throw error;
      }
    },
  };
}

async function answerRoute(route: Route, snapshots: Snapshots, request: ApiRequest): Promise<unknown> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      return await route.answer(snapshots.current, request);
    } catch (error) {
      // The thread that counts tokens ends with the page.
      if (snapshots.isClosed) throw new ApiFailure('The page is closed.', { status: 503 });
      if (!(error instanceof StaleSnapshot)) throw toFailure(error);
    }
  }
  throw new ApiFailure('The tools change faster than they can be analysed.', {
    status: 503,
    hint: 'Wait until the server has registered its tools.',
  });
}

/** Converts an error. Only mistakes of the author are shown with their message. */
function toFailure(error: unknown): unknown {
  const isExplained = isToolfoldError(error) || error instanceof UsageError || error instanceof CommandError;
  return isExplained ? new ApiFailure(error.message, { status: 422 }) : error;
}

function findRoute({ method = 'GET' }: IncomingMessage, { pathname }: URL): Route {
  const route = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined;
  if (!route)
    throw new ApiFailure(
      `There is no endpoint ${toLine(pathname, 100)}.${didYouMean(nearestName(pathname, Object.keys(routes)))}`,
      { status: 404 },
    );
  if (method === route.method || (method === 'HEAD' && route.method === 'GET')) return route;
  throw new ApiFailure(`${pathname} is asked with ${route.method}, not with ${toLine(method, 20)}.`, {
    status: 405,
    allow: route.method === 'GET' ? 'GET, HEAD' : route.method,
  });
}

/** Returns a signal that aborts when the client closes the connection before its answer is complete. */
function signalOf(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('The client is gone.'));
  });
  request.once('error', (error) => controller.abort(error));
  return controller.signal;
}
