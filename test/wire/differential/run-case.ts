/** Sends a case to every party and compares. */
import { serveHttp } from 'toolfold/node';
import { createHandler } from 'toolfold/web';
import type { RawResponse } from '../raw-responses.js';
import { toAnswer } from './answer.js';
import type { Answer } from './answer.js';
import { createRegistry } from './catalog.js';
import { compare, describeCase, faultsOf } from './compare.js';
import type { HttpCase, HttpRequest } from './http-case.js';
import type { IntendedDifference } from './intended-differences.js';
import { createJudges } from './judges.js';
import type { JudgeName } from './judges.js';
import { sendByFetch, sendBySocket } from './send.js';

/** One of the compared servers. `send` resolves to `undefined` if the server cannot receive the request. */
interface Party {
  readonly name: string;
  readonly send: (request: HttpRequest, session: string | undefined) => Promise<RawResponse | undefined>;
}

export interface Arena {
  /** The faults of our answers to a case. */
  run(test: HttpCase, judges?: readonly JudgeName[]): Promise<string[]>;
  close(): Promise<void>;
}

export async function createArena(
  intended: readonly IntendedDifference[],
  hits: Set<IntendedDifference>,
): Promise<Arena> {
  const judges = await createJudges();
  const handler = createHandler(createRegistry(), { requestLimit: false });
  const running = await serveHttp(createRegistry(), { port: 0, requestLimit: false });
  const port = Number(new URL(running.url).port);
  const subjects: Party[] = [
    {
      name: 'fetch',
      send: (request, session) => sendByFetch((web) => handler.fetch(web), request, session),
    },
    { name: 'socket', send: (request, session) => sendBySocket(port, request, session) },
  ];
  return {
    run: async (test, names = ['composed', 'handler', 'sdk']) => {
      const ours = await Promise.all(subjects.map((subject) => answersOf(test, subject)));
      const complaints: string[] = [];
      for (const name of names) {
        const { fetch, port: judgePort } = judges[name];
        const theirs = await answersOf(test, {
          name,
          send: async (request, session) =>
            (await sendByFetch(fetch, request, session)) ?? sendBySocket(judgePort, request, session),
        });
        for (const [at, subject] of subjects.entries()) {
          for (const complaint of judge(test, name, theirs, ours[at] ?? [], intended, hits))
            complaints.push(`[${subject.name} against ${name}] ${complaint}`);
        }
      }
      return complaints.length === 0 ? [] : [...complaints, describeCase(test)];
    },
    close: async () => {
      await Promise.all([
        handler.close(),
        running.close(),
        ...Object.values(judges).map((each) => each.close()),
      ]);
    },
  };
}

async function answersOf({ requests }: HttpCase, { send }: Party): Promise<(Answer | undefined)[]> {
  const answers: (Answer | undefined)[] = [];
  let session: string | undefined;
  for (const request of requests) {
    const response = await send(request, session);
    session = response?.headers['mcp-session-id'] ?? session;
    answers.push(response && toAnswer(response));
  }
  return answers;
}

function judge(
  { requests }: HttpCase,
  name: JudgeName,
  theirs: readonly (Answer | undefined)[],
  ours: readonly (Answer | undefined)[],
  intended: readonly IntendedDifference[],
  hits: Set<IntendedDifference>,
): string[] {
  return requests.flatMap((request, at) => {
    const [their, our] = [theirs[at], ours[at]];
    if (!our) return [];
    if (!their) return faultsOf({ request, ours: our });
    const pair = { judge: name, request, before: requests.slice(0, at), theirs: their, ours: our };
    return compare(pair, intended, hits).map((complaint) => `request ${at + 1}: ${complaint}`);
  });
}
