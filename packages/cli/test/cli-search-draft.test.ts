import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
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
  // Writes down each prompt, and answers from the functions of `answers.mjs`, one after another.
  'scripted.mjs': model(
    `const { appendFileSync, existsSync, readFileSync } = await import('node:fs');
     const count = existsSync('asked') ? readFileSync('asked', 'utf8').split('\\n').length - 1 : 0;
     appendFileSync('asked', JSON.stringify({ addresses, prompt }) + '\\n');
     const { answers } = await import(process.cwd() + '/answers.mjs');
     console.log(answers[count](addresses));`,
  ),
  'large.mjs': "const write = () => process.stdout.write('x'.repeat(65536), write); write();",
  'hangs.mjs':
    "import { writeFileSync } from 'node:fs'; writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000);",
};
const keywords = ['bug', 'ticket', 'defect'];
const read = (folder: string, file = 'search.json'): string => readFileSync(join(folder, file), 'utf8');
const draft = (folder: string, ...more: readonly string[]) =>
  runHere(['search', 'draft', 'tools.json', ...more], { cwd: folder });

describe('toolfold search draft', () => {
  it('writes a prompt for any model', async () => {
    const folder = folderWith(files);
    const { code, out, err } = await draft(folder);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('search.json: 3 of 3 tools have no keywords.');
    expect(out).toContain('search-prompt.md: give this prompt to a model');
    expect(read(folder, 'search-prompt.md')).toContain(
      '{"address":"list_issues","description":"Lists issues"}',
    );
    expect(existsSync(join(folder, 'search.json'))).toBe(false);
    const { out: json } = await draft(folder, '--json');
    expect(JSON.parse(json)).toEqual({
      file: 'search.json',
      isWritten: false,
      tools: 3,
      missing: 3,
      changes: [],
      problems: [],
      prompt: 'search-prompt.md',
    });
  });

  it('writes a prompt for at most 200 tools, and counts the others', async () => {
    const many = Array.from({ length: 230 }, (_, at) => ({
      name: `t${at}`,
      inputSchema: { type: 'object' },
    }));
    const folder = folderWith({ 'tools.json': JSON.stringify({ tools: many }) });
    expect((await draft(folder)).out).toContain(
      'The prompt has 200 tools. Run the command again for the other 30.',
    );
    expect(read(folder, 'search-prompt.md').match(/^\{"address"/gm)).toHaveLength(200);
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
    expect([offline.code, offline.out]).toEqual([0, 'search.json: 3 of 3 tools have no keywords.\n']);
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
    expect((await draft(folder, '--output', 'link.json', '--command', 'node good.mjs')).code).toBe(1);
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
    expect([answered.code, answered.out, answered.err]).toEqual([
      0,
      'search.json: 0 of 3 tools changed, 0 without keywords\n',
      'toolfold: All tools have keywords. Pass --all to replace those in the search file.\n',
    ]);
    expect((await draft(folder)).err).toBe(answered.err);
    expect(existsSync(join(folder, 'search-prompt.md'))).toBe(false);
    const { out } = await draft(folder, '--all');
    expect(out).toContain('search.json: 0 of 3 tools have no keywords.');
    expect(out).toContain('again with --all, --answer and that file.');
  });

  it('names the file that cannot be written, without the name of a temporary file', async () => {
    const { code, err } = await draft(
      folderWith(files),
      '--output',
      'none/search.json',
      '--command',
      'node good.mjs',
    );
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
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('The answer is not valid JSON')]);
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
    ['garbage.mjs', 'No answer for batch 1 of 1 had keywords.'],
    ['fails.mjs', '"node" ended with exit code 3.'],
    ['large.mjs', '"node" printed more than 64 MiB.'],
  ])('fails and writes nothing if the program is %s', async (program, message) => {
    const folder = folderWith(files);
    const { code, err } = await draft(folder, '--command', `node ${program}`);
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(existsSync(join(folder, 'search.json'))).toBe(false);
  });

  describe('asks a program in batches', () => {
    const many = Array.from({ length: 30 }, (_, at) => ({
      name: `t${String(at).padStart(2, '0')}`,
      inputSchema: { type: 'object' },
    }));
    const askWith = async (answers: string) => {
      const folder = folderWith({
        ...files,
        'tools.json': JSON.stringify({ tools: many }),
        'answers.mjs': `const all = (some) =>
            JSON.stringify({ tools: Object.fromEntries(some.map((each) => [each, ['bug', 'ticket', 'defect']])) });
          export const answers = ${answers};`,
      });
      const { code, out, err } = await draft(folder, '--command', 'node scripted.mjs');
      const asked = read(folder, 'asked')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { addresses: string[]; prompt: string });
      return { code, out, err, asked };
    };

    it('and once more, with the error, for an answer that is not valid JSON', async () => {
      const { code, out, asked } = await askWith(`[() => 'Sorry', all, all]`);
      expect([code, out]).toEqual([0, expect.stringContaining('30 of 30 tools changed, 0 without keywords')]);
      expect(asked.map(({ addresses }) => addresses.length)).toEqual([25, 25, 5]);
      expect(asked[0]?.prompt).not.toContain('previous answer');
      expect(asked[1]?.prompt).toContain('could not be used: The answer is not valid JSON');
    });

    it('and again only for the tools that an answer lacks', async () => {
      const { code, err, asked } = await askWith(
        `[(some) => all(some.filter((each) => each !== 't01')), () => '{}', all]`,
      );
      expect(code).toBe(0);
      expect(asked.map(({ addresses }) => addresses.length)).toEqual([25, 1, 5]);
      expect(asked[1]?.addresses).toEqual(['t01']);
      expect(err).toContain('"t01" has no keywords.');
    });

    it('and keeps the answered ones when a later one fails', async () => {
      const { code, out, err } = await askWith(`[all, () => process.exit(3)]`);
      expect([code, out]).toEqual([1, expect.stringContaining('25 of 30 tools changed, 5 without keywords')]);
      expect(err).toContain('"node" ended with exit code 3.');
    });
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
    [['--answer', 'a', '--prompt', '-'], 'Pass only one of --answer and --prompt.'],
    [['--command', ''], '--command needs a program'],
    [['--command', '"open'], 'ends inside of a quotation'],
    [['--output', ''], '--output needs the name of a file.'],
    [['--comand', 'a'], 'Did you mean --command?'],
    [['more'], 'Unexpected argument "more". See toolfold search draft --help.'],
  ])('rejects %j', async (argv, message) => {
    const { code, err } = await draft(folderWith(files), ...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
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
