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

interface Asked {
  readonly answer?: 'accept' | 'decline' | undefined;
  readonly era: '2025' | '2026';
  /** The command of the server. Default: the everything server. */
  readonly upstream?: readonly string[];
}

/** A client of `toolfold proxy --form code` in a process of its own, over stdio. Answers the questions about calls. */
async function connect(argv: readonly string[], { era, answer, upstream = wordsOf(everything) }: Asked) {
  const questions: string[] = [];
  const client = new Client(
    { name: 'c', version: '1' },
    {
      capabilities: answer ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: modes[era] },
    },
  );
  if (answer)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
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

describe.each(['2025', '2026'] as const)('toolfold proxy --form code for a client of %s', (era) => {
  it('finds, describes and calls the tools of any server', async () => {
    const { client, run } = await connect(['--code-allow', 'write'], { era, answer: 'accept' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'describe_tools', 'run_code']);
    expect(await run('search_tools', { query: 'add two numbers' })).toContain('get_sum(');
    expect(await run('describe_tools', { tools: ['get_sum'] })).toContain('number');
    const code = `
      const sums = await Promise.all([1, 2, 3].map((b: number) => tools.get_sum({ a: 1, b })));
      return sums.join('; ');
    `;
    expect(await run('run_code', { code })).toMatch(/2[\s\S]*3[\s\S]*4/);
  });

  it('rejects a write, unless writes are allowed', async () => {
    const code = caught('tools.toggle_simulated_logging({})');
    const reading = await connect([], { era, answer: 'accept' });
    expect(await reading.run('run_code', { code })).toContain('ErrCallNotAllowed');
    // The server declares that this tool destroys nothing, so nobody is asked.
    const writing = await connect(['--code-allow', 'write'], { era, answer: 'decline' });
    expect(await writing.run('run_code', { code })).toContain('Started simulated');
    expect([...reading.questions, ...writing.questions]).toEqual([]);
  });

  it.each([
    [undefined, 'call_write_tool', false],
    ['decline', 'ErrCallNotAllowed', false],
    ['accept', '', true],
  ] as const)(
    'asks a person about a call that may destroy data, who answers: %s',
    async (answer, error, isWritten) => {
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'code-')));
      onTestFinished(() => rm(folder, { recursive: true }));
      const path = join(folder, 'note.txt');
      const code = caught(`tools.write_file({ path: ${JSON.stringify(path)}, content: 'hello' })`);
      const upstream = wordsOf(filesystem(folder));
      const { run, questions } = await connect(['--code-allow', 'write'], { era, upstream, answer });
      const said = await run('run_code', { code });
      expect(said).toContain(error);
      if (isWritten) expect(said).not.toContain('ErrCallNotAllowed');
      expect(await readFile(path, 'utf8').catch(() => undefined)).toBe(isWritten ? 'hello' : undefined);
      expect(questions).toEqual(answer ? [expect.stringContaining('write_file')] : []);
    },
  );
});
