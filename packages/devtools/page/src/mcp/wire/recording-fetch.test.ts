import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RecordedMessage } from './message-log.js';
import { createRecordingFetch } from './recording-fetch.js';

type Recorded = Omit<RecordedMessage, 'id' | 'at'>;

/** Answers all requests with the first response, or one request with each. */
function record(answer: Response | Response[], isOver = false) {
  const answers = [answer].flat();
  vi.stubGlobal('fetch', () => Promise.resolve(answers.length > 1 ? answers.shift() : answers[0]));
  const messages: Recorded[] = [];
  const broken: boolean[] = [];
  let resumed = 0;
  const owner = {
    record: (message: Recorded) => void messages.push(message),
    received: () => {},
    broken: (isResumable: boolean) => void broken.push(isResumable),
    resumed: () => void resumed++,
    expired: () => {},
    isOver: () => isOver,
  };
  const recording = createRecordingFetch({
    headers: { 'x-toolfold-token': 'secret' },
    ownerOf: () => owner,
    asked: () => {},
    expired: () => {},
  });
  return { messages, broken, recording, resumed: () => resumed };
}

afterEach(() => vi.unstubAllGlobals());

const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };
const sent = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"n": 12345678901234567890}}';
const received = String.raw`{"jsonrpc":"2.0","id":1,"result":{"n":12345678901234567890, "price":1.10,"é":"\u00e9"}}`;

describe('the recorded messages', () => {
  it('are the texts that were sent and received, with all digits of their numbers', async () => {
    for (const answer of [
      new Response(received, { headers: json }),
      new Response(`data: ${received}\n\n`, { headers: events }),
    ]) {
      const { messages, recording } = record(answer);
      const response = await recording('http://localhost/mcp', { method: 'POST', body: sent });
      expect(await response.text()).toContain(received);
      expect(messages.map(({ direction, text }) => [direction, text])).toEqual([
        ['sent', sent],
        ['received', received],
      ]);
    }
  });

  it('include requests and answers without a message', async () => {
    const stream = record(new Response(': open\n\n', { headers: events }));
    await stream.recording('http://localhost/mcp', { method: 'GET', headers: { 'mcp-session-id': 's' } });
    const end = record(new Response(null, { status: 200 }));
    await end.recording('http://localhost/mcp', { method: 'DELETE', headers: { 'mcp-session-id': 's' } });
    const accepted = record(new Response(null, { status: 202 }));
    await accepted.recording('http://localhost/mcp', {
      method: 'POST',
      body: '{"method":"notifications/x"}',
    });
    const shown = [stream, end, accepted].flatMap(({ messages }) =>
      messages.map(({ http, label }) => `${http} ${label}`),
    );
    expect(shown).toEqual([
      'GET open the stream of the session',
      '200 event stream',
      'DELETE end the session',
      '200 no content',
      'POST notifications/x',
      '202 no content',
    ]);
    expect(stream.messages[0]?.headers).toEqual({ 'mcp-session-id': 's' });
  });

  it('have no answer if the stream ends within it', async () => {
    const { messages, broken, recording } = record(
      new Response(`id: 4\ndata:\n\nid: 5\ndata: ${received}\n`, { headers: events }),
    );
    const response = await recording('http://localhost/mcp', { method: 'POST', body: sent });
    expect(await response.text()).not.toContain('result');
    expect(messages).toHaveLength(1);
    expect(broken).toEqual([true]);
  });

  it('are followed by an answer for the client when the stream of a cancelled call ends', async () => {
    const question = '{"jsonrpc":"2.0","id":"q","method":"elicitation/create"}';
    const answered = async (text: string, isOver: boolean): Promise<string> => {
      const { recording } = record(new Response(text, { headers: events }), isOver);
      return (await recording('http://localhost/mcp', { method: 'POST', body: sent })).text();
    };
    const open = `id: 1\ndata: ${question}\n\n`;
    expect(await answered(open, true)).toContain('"id":1,"error":{"code":-32800');
    expect(await answered(open, false)).not.toContain('error');
    expect(await answered(`${open}data: ${received}\n\n`, true)).not.toContain('error');
  });
});

describe('an answer that broke off', () => {
  const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}';
  const refusal = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"too late"}}';
  const cut = () => new Response(`id: 7\ndata: ${progress}\n\n`, { headers: events });
  const refused = (status: number) => new Response(refusal, { status, headers: json });

  async function resume(answer: Response, lastEvent = '7') {
    const recorded = record([cut(), answer]);
    const { recording } = recorded;
    await (await recording('http://localhost/mcp', { method: 'POST', body: sent })).text();
    const headers = { 'last-event-id': lastEvent };
    const text = await (await recording('http://localhost/mcp', { method: 'GET', headers })).text();
    return { ...recorded, text };
  }

  it('is lost when the server refuses to resume it', async () => {
    for (const status of [400, 404, 405, 410]) {
      const { broken, messages, text, resumed } = await resume(refused(status));
      expect(broken).toEqual([true, false]);
      expect(messages.map(({ label }) => label)).toEqual([
        'tools/call',
        'notifications/progress',
        'resume the answer',
        'error',
      ]);
      expect([text, resumed()]).toEqual([refusal, 0]);
    }
  });

  it('may still be resumed after an answer that asks to try again', async () => {
    for (const status of [429, 503]) expect((await resume(refused(status))).broken).toEqual([true]);
  });

  it('is not lost when the server refuses to resume another stream', async () => {
    const { broken, messages } = await resume(refused(400), '8');
    expect(broken).toEqual([true]);
    expect(messages[2]?.label).toBe('open the stream of the session');
  });

  it('is continued by the answer to the resumption, which may break off too', async () => {
    const answered = await resume(new Response(`id: 9\ndata: ${received}\n\n`, { headers: events }));
    expect(answered.messages.map(({ label }) => label).slice(2)).toEqual(['resume the answer', 'result']);
    expect([answered.broken, answered.resumed()]).toEqual([[true], 1]);
    const again = await resume(cut());
    expect([again.broken, again.resumed()]).toEqual([[true, true], 1]);
  });
});
