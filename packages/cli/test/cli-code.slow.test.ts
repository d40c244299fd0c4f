import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pathOf } from './cli-program.js';
import { everything, filesystem } from '../../gateway/test/upstream-servers.js';

const wordsOf = ({ command, args }: { command: string; args: readonly string[] }) => [command, ...args];
const modes = { 2025: 'legacy', 2026: { pin: '2026-07-28' } } as const;

type Answer = 'accept' | 'decline';

interface Asked {
  /** Answers to the questions about calls, in their order. Without it, the client cannot ask. */
  readonly answers?: readonly Answer[];
  readonly era: '2025' | '2026';
  /** The command of the server. Default: the everything server. */
  readonly upstream?: readonly string[];
}

/** A client of `toolfold proxy --form code` in a process of its own, over stdio. Answers the questions about calls. */
async function connect(argv: readonly string[], { era, answers, upstream = wordsOf(everything) }: Asked) {
  const questions: string[] = [];
  const client = new Client(
    { name: 'c', version: '1' },
    {
      capabilities: answers ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: modes[era] },
    },
  );
  if (answers)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const answer = answers[questions.length];
      questions.push(params.message);
      const { properties = {} } =
        (params as { requestedSchema?: { properties?: object } }).requestedSchema ?? {};
      const content = Object.fromEntries(Object.keys(properties).map((name) => [name, true]));
      return answer === 'accept' ? { action: 'accept' as const, content } : { action: 'decline' as const };
    });
  const args = [pathOf('packages/cli/dist/main.js'), 'proxy', '--form', 'code', ...argv, '--', ...upstream];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }), {
    timeout: 100_000,
  });
  onTestFinished(() => client.close());
  const run = async (name: string, input: Record<string, unknown>): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: input });
    return content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
  };
  return { client, run, questions };
}

const caught = (call: string): string =>
  `try { return await ${call}; } catch (error) { return error.code + ': ' + error.message; }`;

/** The everything server declares that this tool writes, and destroys nothing. */
const WRITE = caught('tools.toggle_simulated_logging({})');

describe.each(['2025', '2026'] as const)('toolfold proxy --form code for a client of %s', (era) => {
  it('finds, describes and calls the tools of any server, and asks nobody about a write that destroys nothing', async () => {
    const { client, run, questions } = await connect(['--code-allow', 'write'], { era, answers: [] });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'describe_tools', 'run_code']);
    expect(await run('search_tools', { query: 'add two numbers' })).toContain('get_sum(');
    expect(await run('describe_tools', { tools: ['get_sum'] })).toContain('number');
    const code = `
      const sums = await Promise.all([1, 2, 3].map((b: number) => tools.get_sum({ a: 1, b })));
      return sums.join('; ');
    `;
    expect(await run('run_code', { code })).toMatch(/2[\s\S]*3[\s\S]*4/);
    expect(await run('run_code', { code: WRITE })).toContain('Started simulated');
    expect(questions).toEqual([]);
  });

  it('rejects a write unless writes are allowed', async () => {
    const { run, questions } = await connect([], { era, answers: [] });
    expect(await run('run_code', { code: WRITE })).toContain('ErrCallNotAllowed');
    expect(questions).toEqual([]);
  });

  /** Writes a file in a folder of its own, which the server may change. */
  async function prepareWrite() {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'code-')));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'note.txt');
    return {
      upstream: wordsOf(filesystem(folder)),
      code: caught(`tools.write_file({ path: ${JSON.stringify(path)}, content: 'hello' })`),
      read: () => readFile(path, 'utf8').catch(() => undefined),
    };
  }

  it('runs a call that may destroy data only if a person accepts it', async () => {
    const { upstream, code, read } = await prepareWrite();
    const answers = ['decline', 'accept'] as const;
    const { run, questions } = await connect(['--code-allow', 'write'], { era, upstream, answers });
    expect(await run('run_code', { code })).toContain('ErrCallNotAllowed');
    expect(await read()).toBeUndefined();
    expect(await run('run_code', { code })).not.toContain('ErrCallNotAllowed');
    expect(await read()).toBe('hello');
    expect(questions).toEqual(answers.map(() => expect.stringContaining('write_file') as unknown));
  });

  it('rejects a call that may destroy data if the client cannot ask, and names the tool for it', async () => {
    const { upstream, code, read } = await prepareWrite();
    const { run } = await connect(['--code-allow', 'write'], { era, upstream });
    expect(await run('run_code', { code })).toContain('call_write_tool');
    expect(await read()).toBeUndefined();
  });
});
