import { REJECTED } from '../../protocol/rpc-error.js';
import type { SessionRecord, Shared } from '../../stores/contracts.js';
import { randomId } from '../../runtime/random-id.js';
import type { Capacity } from '../http/capacity.js';
import { EVENT_HEADERS, reject } from '../http/request-response.js';
import type { EdgeAnswer, EdgeRequest } from '../http/request-response.js';
import { EventStream, readEventId } from '../http/event-stream.js';
import type { LiveSessions } from './live-sessions.js';
import type { SessionMessages } from './session-messages.js';
import { SESSION_ID } from './session-records.js';
import type { StreamLog } from './stream-log.js';

/** Ids of standing streams, which clients hold open with GET, have this prefix. */
const STANDING = 'get-';

export interface StreamServices {
  readonly live: LiveSessions;
  readonly capacity: Capacity;
  /** `log`, `messages` and `sequence` connect to other processes with the same sessions. A server with one process has none. */
  readonly log: StreamLog | undefined;
  readonly messages: SessionMessages | undefined;
  readonly sequence: Shared['sequence'] | undefined;
  readonly onStanding: (session: string, request: EdgeRequest) => void;
}

/** Answers a GET: resumes the stream that `Last-Event-ID` names, or opens the standing stream of the session. */
export async function openStream(
  session: SessionRecord,
  request: EdgeRequest,
  services: StreamServices,
): Promise<EdgeAnswer> {
  const { live, log } = services;
  const lastEventId = request.header('last-event-id') || undefined;
  if (lastEventId === undefined) return openStanding(session.id, request, services, []);
  const last = readEventId(lastEventId);
  const stream = last && live.findStream(session.id, last.stream);
  if (last && stream?.has(last.number))
    return { status: 200, headers: headersOf(session.id), body: stream.connect(last.number) };
  if (last?.stream.startsWith(STANDING)) {
    // Missed events may be lost, but the client can still get those that follow.
    const missed = await log?.missed(session.id, last.stream, last.number);
    return openStanding(session.id, request, services, missed ?? []);
  }
  // Another process wrote this stream, or still does.
  const body = last && (await log?.follow(session.id, last.stream, last.number));
  if (!body) return reject(400, REJECTED, 'Bad Request: what came after that event is no longer there');
  return (
    services.capacity.rejection('streams', request.caller?.share) ?? {
      status: 200,
      headers: headersOf(session.id),
      body,
    }
  );
}

async function openStanding(
  session: string,
  request: EdgeRequest,
  { live, capacity, log, messages, sequence, onStanding }: StreamServices,
  missed: readonly string[],
): Promise<EdgeAnswer> {
  const full = capacity.rejection('streams', request.caller?.share);
  if (full) return full;
  if (live.sessions.get(session)?.standing?.isConnected)
    return reject(409, REJECTED, 'Conflict: Only one SSE stream is allowed per session');
  // The newest stream wins. A shared sequence tells which one that is, because the clocks of processes differ.
  const number = (await sequence?.next()) ?? 0;
  const id = `${STANDING}${randomId()}`;
  const stream = new EventStream(id, log?.record(session, id));
  stream.onDisconnect = () => {
    live.sessions.get(session)?.leave(stream);
    live.forgetIdle(session);
  };
  const connect = stream.connect();
  return {
    status: 200,
    headers: headersOf(session),
    // The stream becomes the standing stream only when it is sent, because the edge may still reject the request.
    body: (sink) => {
      live
        .getOrCreate(session)
        .openStandingStream(stream, number, () => messages?.send(session, { kind: 'stand', id: number }));
      for (const text of missed) sink.write(text);
      connect(sink);
      onStanding(session, request);
    },
  };
}

function headersOf(session: string): Readonly<Record<string, string>> {
  return { ...EVENT_HEADERS, [SESSION_ID]: session };
}
