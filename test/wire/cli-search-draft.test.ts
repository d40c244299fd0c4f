import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createTestClient } from '../../src/testing.js';
import { createDraftServer } from '../../src/cli/search/draft/serve-draft.js';
import { readSidecarFile } from '../../src/cli/search/read-sidecar.js';
import { folderWith, runHere, startHere } from './cli-program.js';

const tools = JSON.stringify({
  tools: [
    { name: 'list_issues', description: 'Lists issues', inputSchema: { type: 'object', properties: {} } },
    { name: 'close_issue', description: 'Closes an issue', inputSchema: { type: 'object' } },
    { name: '__proto__', description: 'Is odd', inputSchema: { type: 'object' } },
  ],
});
/** A program that answers like a model: the addresses of the prompt with the same keywords. */
const model = (write: string): string => `
let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;
const addresses = [...prompt.matchAll(/^\\{"address":"([^"]+)"/gm)].map(([, address]) => address);
const answer = (words) => JSON.stringify({ version: 1, tools: Object.fromEntries(addresses.map((each) => [each, { keywords: words }])) });
${write}`;
const files = {
  'tools.json': tools,
  'good.mjs': model(
    "console.error('thinking'); console.log('```json\\n' + answer(['Bug', 'ticket', 'defect', 'data']) + '\\n```');",
  ),
  'garbage.mjs': model("console.log('I am sorry');"),
  'fails.mjs': 'process.exit(3);',
  'large.mjs': "const write = () => process.stdout.write('x'.repeat(65536), write); write();",
  'hangs.mjs':
    "import { writeFileSync } from 'node:fs'; writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000);",
};
const keywords = ['bug', 'ticket', 'defect'];
const read = (folder: string, file = 'search.json'): string => readFileSync(join(folder, file), 'utf8');
const draft = (folder: string, ...more: readonly string[]) =>
  runHere(['search', 'draft', 'tools.json', ...more], { cwd: folder });

describe('toolfold search draft', () => {
  it('writes a prompt and a search file with all addresses for any model', async () => {
    const folder = folderWith(files);
    const { code, out, err } = await draft(folder);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('search.json: 3 of 3 tools have no keywords.');
    expect(JSON.parse(read(folder))).toEqual(
      JSON.parse(
        '{"version":1,"tools":{"__proto__":{"keywords":[]},"close_issue":{"keywords":[]},"list_issues":{"keywords":[]}}}',
      ),
    );
    expect(read(folder, 'search-prompt.md')).toContain(
      '{"address":"list_issues","description":"Lists issues"}',
    );
    expect(() => readSidecarFile(join(folder, 'search.json'))).not.toThrow();
  });

  it('prints the prompt with --prompt -, and messages to standard error', async () => {
    const folder = folderWith(files);
    const { code, out, err } = await draft(folder, '--prompt', '-');
    expect(code).toBe(0);
    expect(out).toMatch(/^You add search keywords to tools\./);
    expect(err).toContain('3 of 3 tools have no keywords');
    expect(existsSync(join(folder, 'search-prompt.md'))).toBe(false);
  });

  it('writes nothing with --dry-run', async () => {
    const folder = folderWith(files);
    const offline = await draft(folder, '--dry-run');
    expect([offline.code, offline.out]).toEqual([
      0,
      'search.json: 3 of 3 tools have no keywords; not written\n',
    ]);
    const { code, out } = await draft(folder, '--dry-run', '--command', 'node good.mjs');
    expect(code).toBe(0);
    expect(out).toContain('3 of 3 tools changed, 0 without keywords; not written');
    expect(existsSync(join(folder, 'search.json')) || existsSync(join(folder, 'search-prompt.md'))).toBe(
      false,
    );
  });

  it('replaces neither another file nor a symbolic link', async () => {
    const folder = folderWith({ ...files, 'package.json': '{"version":"1.0.0"}', 'notes.md': 'My notes' });
    symlinkSync(join(folder, 'notes.md'), join(folder, 'link.json'));
    expect((await draft(folder, '--output', 'package.json')).err).toContain(
      'package.json: version must be 1',
    );
    expect((await draft(folder, '--prompt', 'notes.md')).err).toContain('notes.md has other contents');
    expect(existsSync(join(folder, 'search.json'))).toBe(false);
    expect((await draft(folder, '--output', 'link.json')).code).toBe(1);
    expect([read(folder, 'package.json'), read(folder, 'notes.md')]).toEqual([
      '{"version":"1.0.0"}',
      'My notes',
    ]);
  });

  it('lets a program ask a model, and shows the changes', async () => {
    const folder = folderWith(files);
    const { code, out, err } = await draft(folder, '--command', 'node good.mjs');
    expect(code).toBe(0);
    expect(out).toBe(
      '__proto__\n  + bug, ticket, defect\nclose_issue\n  + bug, ticket, defect\nlist_issues\n  + bug, ticket, defect\n' +
        'search.json: 3 of 3 tools changed, 0 without keywords\n',
    );
    expect(err).toContain('toolfold: batch 1 of 1: 3 tools …');
    expect(err).toContain('thinking');
    expect(JSON.parse(read(folder))).toMatchObject({ tools: { list_issues: { keywords } } });
  });

  it('keeps what authors wrote, unless --all is given', async () => {
    const folder = folderWith({
      ...files,
      'search.json':
        '{"version":1,"tools":{"list_issues":{"keywords":["mine"],"examples":["show my bugs"]},"gone":{"keywords":["old"]}}}',
    });
    const first = await draft(folder, '--command', 'node good.mjs', '--json');
    expect(first.code).toBe(0);
    expect(JSON.parse(first.out)).toEqual({
      file: 'search.json',
      isWritten: true,
      tools: 3,
      missing: 0,
      changes: [
        { address: '__proto__', added: keywords, removed: [] },
        { address: 'close_issue', added: keywords, removed: [] },
      ],
      problems: [],
    });
    expect(first.err).toContain('search.json has words for an address that no tool has: "gone".');
    expect(JSON.parse(read(folder))).toMatchObject({
      tools: { list_issues: { keywords: ['mine'], examples: ['show my bugs'] }, gone: { keywords: ['old'] } },
    });
    const second = await draft(folder, '--all', '--command', 'node good.mjs');
    expect(second.out).toContain('list_issues\n  - mine\n  + bug, ticket, defect\n');
    expect(JSON.parse(read(folder))).toMatchObject({
      tools: { list_issues: { keywords, examples: ['show my bugs'] } },
    });
  });

  it('says that --all is needed if all tools have keywords, and counts tools without keywords with --all', async () => {
    const folder = folderWith({ ...files, 'answer.json': '{}' });
    await draft(folder, '--command', 'node good.mjs');
    const answered = await draft(folder, '--answer', 'answer.json');
    expect([answered.code, answered.err]).toEqual([
      0,
      'toolfold: All tools have keywords. Pass --all to replace those in the search file.\n',
    ]);
    expect((await draft(folder)).out).toBe(
      'search.json: all 3 tools have keywords. Pass --all to replace those in the file.\n',
    );
    const { out } = await draft(folder, '--all');
    expect(out).toContain('search.json: 0 of 3 tools have no keywords.');
    expect(out).toContain('again with --all, --answer and that file.');
  });

  it('names the file that cannot be written, without the name of a temporary file', async () => {
    const { code, err } = await draft(folderWith(files), '--output', 'none/search.json', '--prompt', '-');
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/none\/search\.json cannot be written: .*'none\/search\.json'$/m),
    ]);
  });

  it('leaves tools alone whose definitions have keywords', async () => {
    const folder = folderWith({
      ...files,
      'server.mjs': `import { ToolRegistry, GroupedToolBuilder } from 'toolfold';
        export const registry = new ToolRegistry().register(
          new GroupedToolBuilder('issues')
            .action({ name: 'list', description: 'Lists', search: { keywords: ['mine'] }, handler: () => '' })
            .action({ name: 'close', description: 'Closes', handler: () => '' }),
          { name: 'ping', namespace: 'net', description: 'Pings', inputSchema: {}, handler: () => '' });`,
    });
    const { code, out } = await runHere(
      ['search', 'draft', 'server.mjs', '--command', 'node good.mjs', '--json'],
      { cwd: folder },
    );
    expect(code).toBe(0);
    expect(
      (JSON.parse(out) as { changes: { address: string }[] }).changes.map(({ address }) => address),
    ).toEqual(['issues/close', 'net:ping']);
  });

  it('reads the answer of a model that the user asked', async () => {
    const folder = folderWith({
      ...files,
      'answer.txt': 'Sure:\n```json\n{"tools":{"list_issues":["bug","ticket","defect"]}}\n```',
      'wrong.txt': 'Sure.',
    });
    const { code, out, err } = await draft(folder, '--answer', 'answer.txt');
    expect([code, out]).toEqual([
      0,
      'list_issues\n  + bug, ticket, defect\nsearch.json: 1 of 3 tools changed, 2 without keywords\n',
    ]);
    expect(err).toContain('"close_issue" has no keywords.');
    const wrong = await draft(folder, '--answer', 'wrong.txt');
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('wrong.txt is not valid JSON')]);
    const piped = await runHere(['search', 'draft', 'tools.json', '--answer', '-'], {
      cwd: folder,
      input: '{"close_issue":["finish","end","done"]}',
    });
    expect([piped.code, piped.out]).toEqual([
      0,
      expect.stringContaining('close_issue\n  + finish, end, done'),
    ]);
  });

  it.each([
    ['garbage.mjs', [], 'Twice, the answer for batch 1 of 1 is not valid JSON'],
    ['fails.mjs', [], '"node" ended with exit code 3.'],
    ['large.mjs', [], '"node" printed more than 1 MiB.'],
    ['hangs.mjs', ['--answer-timeout', '0.5'], '"node" did not answer within 0.5 s.'],
  ])('fails and writes nothing if the program is %s', async (program, more, message) => {
    const folder = folderWith(files);
    const { code, err } = await draft(folder, '--command', `node ${program}`, ...more);
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(existsSync(join(folder, 'search.json'))).toBe(false);
  });

  it('says that the program does not exist', async () => {
    const { code, err } = await draft(folderWith(files), '--command', 'no-such-program-at-all');
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('The command "no-such-program-at-all" does not exist.'),
    ]);
  });

  it('ends the program on Ctrl-C', async () => {
    const folder = folderWith(files);
    const { kill, exit } = startHere(['search', 'draft', 'tools.json', '--command', 'node hangs.mjs'], {
      cwd: folder,
    });
    await expect
      .poll(() => existsSync(join(folder, 'pid')) && read(folder, 'pid') !== '', { timeout: 10_000 })
      .toBe(true);
    kill('SIGINT');
    expect(await exit).toBe(130);
    const pid = Number(read(folder, 'pid'));
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
    expect(existsSync(join(folder, 'search.json'))).toBe(false);
  });

  it('ends on Ctrl-C while it waits for the answer on standard input', async () => {
    const stdin = new PassThrough();
    const { kill, exit, written } = startHere(['search', 'draft', 'tools.json', '--answer', '-'], {
      cwd: folderWith(files),
      stdin,
    });
    await expect.poll(() => stdin.listenerCount('readable') + stdin.listenerCount('data')).toBeGreaterThan(0);
    kill('SIGINT');
    expect([await exit, written.err]).toEqual([130, '']);
  });

  it.each([
    [['--command', 'a', '--answer', 'b'], 'Pass only one of --command and --answer.'],
    [['--serve', '--prompt', '-'], 'Pass only one of --serve and --prompt.'],
    [['--serve', '--json'], '--json does not work with --serve'],
    [['--answer-timeout', '5'], '--answer-timeout works only with --command.'],
    [['--command', 'a', '--answer-timeout', 'soon'], '--answer-timeout must be a number of seconds'],
    [['--command', ''], '--command needs a program'],
    [['--command', '"open'], 'ends inside of a quotation'],
    [['--output', ''], '--output needs the name of a file.'],
    [['--comand', 'a'], 'Did you mean --command?'],
    [['more'], 'Unexpected argument "more". See toolfold search draft --help.'],
  ])('rejects %j', async (argv, message) => {
    const { code, err } = await draft(folderWith(files), ...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('asks a person at a terminal, and writes with --yes', async () => {
    const folder = folderWith(files);
    const argv = ['search', 'draft', 'tools.json', '--command', 'node good.mjs'];
    const no = await runHere(argv, { cwd: folder, isTTY: true, input: 'n\n' });
    expect([no.code, existsSync(join(folder, 'search.json'))]).toEqual([0, false]);
    expect(no.err).toContain('Write search.json? (y/N)');
    const yes = await runHere([...argv, '--yes'], { cwd: folder, isTTY: true });
    expect([yes.code, existsSync(join(folder, 'search.json'))]).toEqual([0, true]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('toolfold search draft --serve', () => {
  const drafted = Array.from({ length: 30 }, (_, at) => ({
    address: `t${String(at).padStart(2, '0')}`,
    name: `t${at}`,
    arguments: [],
  }));
  const sample = (params: Readonly<Record<string, unknown>>): string => {
    const [{ content }] = params['messages'] as [{ content: { text: string } }];
    const addresses = [...content.text.matchAll(/^\{"address":"([^"]+)"/gm)].map(
      ([, address = '']) => address,
    );
    return JSON.stringify({ tools: Object.fromEntries(addresses.map((each) => [each, keywords])) });
  };
  const setUp = (more: { isAll?: boolean; isDryRun?: boolean } = {}) => {
    const file = join(folderWith({}), 'search.json');
    const readBefore = () => (existsSync(file) ? readSidecarFile(file) : { version: 1 as const, tools: {} });
    const server = createDraftServer({
      file,
      tools: drafted,
      isAll: false,
      isDryRun: false,
      readBefore,
      ...more,
    });
    return { file, server };
  };

  it.each(['2025', '2026'] as const)('lets the model of a %s client draft, batch by batch', async (era) => {
    const { file, server } = setUp();
    const prompts: string[] = [];
    await using client = await createTestClient(server, {
      era,
      answers: {
        sample: (params) => {
          prompts.push(JSON.stringify(params));
          return sample(params);
        },
      },
    });
    const result = await client.call('draft_keywords');
    expect(JSON.stringify(result)).toContain('30 of 30 tools changed, 0 without keywords');
    expect(prompts).toHaveLength(2);
    expect(Object.keys(readSidecarFile(file).tools)).toHaveLength(30);
  });

  it('asks again after an answer that is not JSON, and reports the second one', async () => {
    const { file, server } = setUp();
    let asked = 0;
    await using client = await createTestClient(server, {
      answers: {
        sample: () => {
          asked++;
          return 'I cannot';
        },
      },
    });
    const result = await client.call('draft_keywords').catch((error: unknown) => String(error));
    expect(JSON.stringify(result)).toContain('is not valid JSON');
    expect([asked, existsSync(file)]).toEqual([2, false]);
  });

  it('says that the client has no model', async () => {
    const { server } = setUp();
    await using client = await createTestClient(server, { answers: { sample: false } });
    const result = await client.call('draft_keywords').catch((error: unknown) => String(error));
    expect(JSON.stringify(result)).toMatch(/sampling/);
  });
});
