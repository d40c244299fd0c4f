import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collectLogs, textOf } from '../../../../test/calls.js';
import { createCodeServer } from '../../test/code-server.js';
import { ErrOverloaded } from 'toolfold/errors';
import { createQuickJsSandbox } from '../sandbox/quickjs-sandbox.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { internalsOf } from 'toolfold/internal';

const sandbox = createQuickJsSandbox({ maxThreads: 2 });
afterAll(() => sandbox.close());

const caller = { capabilities: { elicitation: { form: {} } } };

type Logger = ReturnType<typeof collectLogs>['logger'];

function createServer(done: string[], own: Sandbox = sandbox, logger?: Logger) {
  const noted = (name: string, hints: object) => ({
    name,
    inputSchema: z.object({ id: z.number() }),
    ...hints,
    handler: ({ input }: { input: { id: number } }) => {
      done.push(`${name} ${input.id}`);
      return { done: done.length };
    },
  });
  return createCodeServer({
    tools: [
      noted('read', { readOnly: true }),
      noted('write', { destructive: false, idempotency: {} }),
      noted('erase', { destructive: true }),
    ],
    code: { sandbox: own, allow: 'write' },
    registry: logger ? { logger } : {},
  });
}

const code = `
  let counter = 0;
  const log = (text) => console.log(++counter, text);
  await tools.read({ id: 1 });
  await tools.write({ id: 1 });
  log('before');
  const [first, second] = await Promise.allSettled([tools.erase({ id: 1 }), tools.erase({ id: 2 })]);
  log('between');
  await tools.write({ id: 1 });
  const third = await tools.erase({ id: 3 });
  return [first.status, second.reason.code, second.reason.message, third];
`;

const expected = ['fulfilled', 'ErrCallNotAllowed', 'A person declined this call of "erase".', { done: 5 }];

const logs = 'Logs:\n1 before\n2 between';

/** Allows the calls of all ids but 2. */
function answer(questions: Readonly<Record<string, unknown>>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(questions).map(([key, question]) => {
      const isSecond =
        JSON.stringify(question).includes('id\\\\\\": 2') || JSON.stringify(question).includes(': 2\\n');
      return [key, isSecond ? { action: 'decline' } : { action: 'accept', content: { allow: true } }];
    }),
  );
}

describe('calls that a person confirms', () => {
  it('run after the answers of a client that is asked during the request', async () => {
    const done: string[] = [];
    const asked: number[] = [];
    const { run } = createServer(done);
    const result = await run(code, {
      caller,
      ask: async (questions) => {
        asked.push(Object.keys(questions).length);
        return answer(questions);
      },
    });
    expect(result.content).toEqual([
      { type: 'text', text: JSON.stringify(expected) },
      { type: 'text', text: logs },
    ]);
    expect(asked).toEqual([2, 1]);
    expect(done).toEqual(['read 1', 'write 1', 'erase 1', 'write 1', 'erase 3']);
  });

  it('run after the requests with which a client answers, and no call is repeated', async () => {
    const done: string[] = [];
    const { lines, logger } = collectLogs();
    const { run, registry } = createServer(done, sandbox, logger);
    const progress: number[] = [];
    const runs: unknown[] = [];
    let more: { inputResponses?: object; requestState?: string } = {};
    const rounds: string[][] = [];
    for (;;) {
      const options = { caller };
      const ask = internalsOf(registry).askInRounds(
        { method: 'tools/call', params: { name: 'run_code', arguments: { code } }, ...more },
        options,
      );
      const result = await run(code, {
        ...options,
        ask,
        progress: async (count) => void progress.push(count),
      });
      runs.push((lines.at(-1) as { run?: string }).run);
      if (result.resultType !== 'input_required') {
        expect(textOf(result)).toBe([JSON.stringify(expected), logs].join());
        break;
      }
      rounds.push([...done]);
      more = { inputResponses: answer(result.inputRequests ?? {}), requestState: result.requestState ?? '' };
    }
    expect(rounds).toEqual([
      ['read 1', 'write 1'],
      ['read 1', 'write 1', 'erase 1', 'write 1'],
    ]);
    // Each call counts once, and the refused one too.
    expect(progress).toEqual([1, 2, 3, 4, 5, 6]);
    // The log lines of questions have the id of the run too.
    expect(runs).toEqual(Array.from({ length: 3 }, () => expect.any(String) as string));
    expect(new Set(runs).size).toBe(1);
    expect(done).toEqual(['read 1', 'write 1', 'erase 1', 'write 1', 'erase 3']);
  });

  it('are listed with all others if the sandbox has no capacity after the answers', async () => {
    const done: string[] = [];
    const restore = () => Promise.reject(new ErrOverloaded('Too much code is running.'));
    const { run } = createServer(done, {
      start: (source, start) => sandbox.start(source, start),
      restore,
      close: async () => undefined,
    });
    const result = await run(code, { caller, ask: async (questions) => answer(questions) });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('could not continue after the question. Too much code is running.');
    expect(textOf(result)).toContain('1. read: ok\n2. write: ok\n3 to 4. erase: waiting');
    expect(textOf(result)).toContain('Logs:\n1 before');
    expect(done).toEqual(['read 1', 'write 1']);
  });

  it('are shown with their arguments in the order of the schema of the tool', async () => {
    const messages: string[] = [];
    const pay = {
      name: 'pay',
      destructive: true,
      inputSchema: z.object({ to: z.object({ name: z.string(), iban: z.string() }), amount: z.number() }),
      handler: ({ input }: { input: object }) => Object.keys(input),
    };
    const { run } = createCodeServer({ tools: [pay], code: { sandbox, allow: 'write' } });
    const result = await run('return tools.pay({ amount: 1, to: { iban: "X1", name: "Ada" } });', {
      caller,
      ask: async (questions) => {
        messages.push(String(questions['call_1']?.params?.['message']));
        return answer(questions);
      },
    });
    expect(messages[0]).toContain('- "to": {"name":"Ada","iban":"X1"}\n- "amount": 1\nAllow this call?');
    expect(textOf(result)).toBe('["to","amount"]');
  });

  it('are not asked about in a dry run, and rejected if the client cannot ask', async () => {
    const done: string[] = [];
    const { run } = createServer(done);
    const planned = await run('return tools.erase({ id: 1 });', {
      caller,
      ask: () => Promise.reject(new Error('asked')),
      dryRun: true,
    });
    expect(textOf(planned)).toContain('1. erase({"id":1}): planned');
    const rejected = await run('return tools.erase({ id: 1 }).catch((error) => error);');
    expect(textOf(rejected)).toContain('call_write_tool');
    expect(done).toEqual([]);
  });
});
