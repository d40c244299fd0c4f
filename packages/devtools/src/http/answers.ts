import type { ServerResponse } from 'node:http';
import { createRedactor } from 'toolfold/internal';
import type { ApiProblem } from '../page-api.js';

/** A failure whose message the page shows to the developer. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly hint: string | undefined;
  /** The methods that the path supports, if the request used another one. */
  readonly allow: string | undefined;

  constructor(
    message: string,
    { status = 400, hint, allow }: { status?: number; hint?: string | undefined; allow?: string } = {},
  ) {
    super(message);
    this.status = status;
    this.hint = hint;
    this.allow = allow;
  }
}

/** Returns the message of an error without credentials. The author's code may throw any value. */
export function readMessage(error: unknown): string {
  try {
    return createRedactor().text(error instanceof Error ? error.message : String(error));
  } catch {
    return 'An error that cannot be read.';
  }
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

/** Sends the reason of a failure. Reports unexpected errors as well. */
export function sendProblem(
  response: ServerResponse,
  error: unknown,
  onError: (error: unknown) => void,
): void {
  const isExpected = error instanceof ApiFailure;
  if (!isExpected) onError(error);
  if (response.headersSent) return void response.destroy();
  if (isExpected && error.allow !== undefined) response.setHeader('allow', error.allow);
  // Close the connection, because the unread rest of the body would be parsed as the next request.
  if (!response.req.complete) response.setHeader('connection', 'close');
  const problem: ApiProblem['problem'] = {
    message: readMessage(error),
    ...(isExpected ? { hint: error.hint } : {}),
  };
  sendJson(response, { problem }, isExpected ? error.status : 500);
}
