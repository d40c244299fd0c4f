import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveHttp } from 'toolfold/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderWith, pathOf, runHere, startHere } from './cli-program.js';
import { registry } from '../../../test/wire/programs/cli-server.js';
import { everything } from '../../gateway/test/upstream-servers.js';

const notion = 'test/data/servers/notion-2.5.2.json';
const questions = 'examples/search/questions.json';
const searchFile = 'examples/search/search.json';
const server = 'test/wire/programs/cli-server.ts';

interface Share {
  readonly found: number;
  readonly of: number;
  readonly percent: number;
}

interface Report {
  readonly tools: number;
  readonly questions: number;
  readonly first: Share;
  readonly five: Share;
  readonly found: Share;
  readonly recall?: Share;
  readonly unanswerable: { readonly refused?: Share };
  readonly misses: {
    readonly pointer: string;
    readonly query: string;
    readonly needed: string[];
    readonly reason: string;
    readonly place?: number;
    readonly unknownWords: string[];
    readonly rivals: { readonly address: string; readonly words: { readonly word: string }[] }[];
  }[];
  readonly wrongAnswers: { readonly query: string }[];
  readonly unknown: { readonly pointer: string; readonly address: string; readonly nearest?: string }[];
  readonly isFailed: boolean;
}

const write = (content: unknown, name = 'questions.json'): string => {
  const file = join(folderWith({}), name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};
const toolsFile = (tools: readonly { name: string; description: string }[]): string =>
  write({ tools: tools.map((tool) => ({ ...tool, inputSchema: { type: 'object' } })) }, 'tools.json');

async function evaluate(argv: readonly string[], code = 0): Promise<Report> {
  const ran = await runHere(['search', 'eval', '--json', ...argv]);
  expect(ran.err).toBe('');
  expect(ran.code).toBe(code);
  return JSON.parse(ran.out) as Report;
}

const shop = (): string =>
  toolsFile([
    { name: 'refund_order', description: 'Pays the price of an order back.' },
    { name: 'list_orders', description: 'Lists orders, the newest first.' },
    { name: 'cancel_order', description: 'Cancels an order before it is sent.' },
    { name: 'track_parcel', description: 'Says where a parcel is.' },
  ]);

describe('toolfold search eval', () => {
  it('reports which questions find their tool, which needed tools are found, and which questions are refused', async () => {
    const { code, out, err } = await runHere([
      'search',
      'eval',
      notion,
      questions,
      '--search-file',
      searchFile,
    ]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`${notion}: 24 tools, 6 questions of ${questions}`);
    expect(out).toMatch(/^ {2}a needed tool is first +\d+\.\d % {2}\d of 5$/m);
    expect(out).toMatch(/^ {2}a needed tool is among five +\d+\.\d % {2}\d of 5$/m);
    expect(out).toMatch(/^ {2}needed tools found, of questions that need several +\d+\.\d % {2}\d of 3$/m);
    expect(out).toMatch(/^ {2}refused, and no tool answers +100\.0 % {2}1 of 1$/m);
  });

  it('searches with the keywords of --search-file, and warns of addresses that no tool has', async () => {
    const asked = write([{ query: 'gimmick', tool: 'refund_order' }]);
    expect((await evaluate([shop(), asked])).five.found).toBe(0);
    const words = write(
      { version: 1, tools: { refund_order: { keywords: ['gimmick'] }, refund_ordr: { keywords: ['x'] } } },
      'search.json',
    );
    const { code, out, err } = await runHere(['search', 'eval', shop(), asked, '--search-file', words]);
    expect(code).toBe(0);
    expect(out).toContain('100.0 %  1 of 1');
    expect(err).toContain('refund_ordr');
  });

  it('explains a miss without a shared word, and a miss by the tools and words that outweigh it', async () => {
    const asked = write([
      { query: 'gimmick the llama', tool: 'refund_order' },
      { query: 'cancel the order', tool: 'refund_order' },
    ]);
    const { misses } = await evaluate([shop(), asked, '--limit', '1']);
    expect(misses).toMatchObject([
      { pointer: '/0', reason: 'no shared word', unknownWords: ['gimmick', 'llama'], rivals: [] },
      {
        pointer: '/1',
        reason: 'outweighed',
        rivals: [
          {
            address: 'cancel_order',
            words: expect.arrayContaining([{ word: 'cancel', amount: expect.any(Number) as number }]) as [],
          },
        ],
      },
    ]);
    expect(misses[1]?.place).toBeGreaterThan(1);
    const { out } = await runHere(['search', 'eval', shop(), asked, '--limit', '1']);
    expect(out).toMatch(
      /"cancel the order"\n {4}refund_order: outweighed, place \d \(order 0\.\d\d\)\n {6}found instead: cancel_order \(cancel 0\.\d\d, order 0\.\d\d\)/,
    );
    expect(out).toContain('    refund_order: no shared word\n      no tool has: gimmick, llama');
  });

  it('counts one of several alternatives, all needed tools, and the steps of a task as one search', async () => {
    const tools = ['refund_order', 'track_parcel'];
    const steps = ['where is the parcel', 'pay the price back'];
    const query = 'parcel';
    const first = async (item: object): Promise<Report> =>
      evaluate([shop(), write({ queries: [{ query, ...item }] }), '--limit', '2']);
    expect((await first({ tools })).recall).toEqual({ found: 1, of: 2, percent: 50 });
    expect((await first({ tools })).misses).toMatchObject([{ needed: ['refund_order'] }]);
    expect((await first({ tools: [tools] })).misses).toEqual([]);
    expect((await first({ tools: [tools] })).recall).toBeUndefined();
    expect((await first({ tools, match: 'any' })).misses).toEqual([]);
    expect((await first({ tools, steps })).recall).toEqual({ found: 2, of: 2, percent: 100 });
  });

  it('exits with 1 below a minimum, and says which minimum is met', async () => {
    const asked = write([
      { query: 'track a parcel', tool: 'track_parcel' },
      { query: 'gimmick', tool: 'refund_order' },
    ]);
    const met = await runHere(['search', 'eval', shop(), asked, '--min-first', '50', '--min-five', '50']);
    expect(met.code).toBe(0);
    expect(met.out).toContain('50.0 %  1 of 2, at least 50 %: met');
    const missed = await runHere([
      'search',
      'eval',
      shop(),
      asked,
      '--min-first',
      '50',
      '--min-five',
      '50.1',
    ]);
    expect(missed.code).toBe(1);
    expect(missed.out).toMatch(/first +50\.0 % {2}1 of 2, at least 50 %: met\n/);
    expect(missed.out).toContain('1 of 2, at least 50.1 %: missed');
    expect((await evaluate([shop(), asked, '--min-five', '85'], 1)).isFailed).toBe(true);
  });

  it('exits with 1 for an unknown address, with its place and the nearest address', async () => {
    const asked = write({ queries: [{ query: 'refund', tools: ['refund_order', 'refund_ordr'] }] });
    const { unknown } = await evaluate([shop(), asked], 1);
    expect(unknown).toEqual([{ pointer: '/queries/0', address: 'refund_ordr', nearest: 'refund_order' }]);
    const { code, out } = await runHere(['search', 'eval', shop(), asked]);
    expect(code).toBe(1);
    expect(out).toContain(
      '  /queries/0: no tool has the address "refund_ordr". Did you mean "refund_order"?',
    );
  });

  it('lists questions that no tool answers and that the search answers', async () => {
    const asked = write([
      { query: 'track a parcel to the moon', tools: [] },
      { query: 'zzz', tools: [] },
    ]);
    const report = await evaluate([shop(), asked]);
    expect(report.unanswerable.refused).toEqual({ found: 1, of: 2, percent: 50 });
    expect(report.wrongAnswers.map(({ query }) => query)).toEqual(['track a parcel to the moon']);
    expect(report.first).toBeUndefined();
  });

  it.each([
    ['[', / is not valid JSON: /],
    ['{}', / has no list of questions\. Write \{"queries": /],
    ['{"queries": []}', / has no questions\. /],
    [[{ tools: [] }], /\n {2}\/0\/query must be a text of 1 to 2000 characters, not missing\.$/m],
    [{ queries: [{ query: ' ', tools: ['a'] }] }, /\n {2}\/queries\/0\/query must be a text .*, not " "\.$/m],
    [[{ query: 'a' }], /\n {2}\/0 has no tools\. Write \[\] if no tool answers the question\.$/m],
    [[{ query: 'a', tool: 'b', tools: ['c'] }], /\n {2}\/0 has both tool and tools\. Write tools only\.$/m],
    [[{ query: 'a', tools: ['b', 3] }], /\n {2}\/0\/tools\/1 must be an address, .*, not 3\.$/m],
    [[{ query: 'a', tools: [[]] }], /\n {2}\/0\/tools\/0 must be an address, .*, not \[\]\.$/m],
    [[{ query: 'a', tools: 'b' }], /\n {2}\/0\/tools must be a list of at most 100 addresses, not "b"\.$/m],
    [
      [{ query: 'a', tools: ['b'], steps: [] }],
      /\n {2}\/0\/steps must be a list of 1 to 20 queries, not \[\]\.$/m,
    ],
    [[{ query: 'a', tools: ['b'], steps: [1] }], /\n {2}\/0\/steps\/0 must be a text /],
    [
      { match: 'some', queries: [{ query: 'a', tools: [] }] },
      /\n {2}\/match must be "any" or "all", not "some"\.$/m,
    ],
    [['a', null], /\n {2}\/0 must be \{"query": .*, not "a"\.\n {2}\/1 must be .*, not null\.$/m],
    [Array.from({ length: 12 }, () => 1), /\n {2}and 2 more$/m],
    [`[${'['.repeat(200)}${']'.repeat(200)}]`, / is nested more than 100 levels deep\.$/m],
  ])('rejects a file of questions with the place of each mistake: %j', async (content, message) => {
    const { code, out, err } = await runHere(['search', 'eval', shop(), write(content)]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(message);
  });

  it.each([
    [['search', 'eval'], /No server given/],
    [['search', 'eval', notion], /No questions given\. Pass a file/],
    [['search', 'eval', notion, questions, 'more'], /Unexpected argument "more"/],
    [['search', 'eval', notion, questions, '--min-five', '101'], /--min-five must be a number from 0 to 100/],
    [['search', 'eval', notion, questions, '--min-first', 'x'], /--min-first must be a number from 0 to 100/],
    [['search', 'eval', notion, questions, '--limit', '0'], /--limit must be a whole number from 1 to 50/],
    [
      ['search', 'eval', notion, questions, '--min-fiv', '1'],
      /Unknown option --min-fiv\. Did you mean --min-five\?/,
    ],
    [
      ['search', 'eval', questions, 'server.ts'],
      /"server\.ts" is not a file of questions\. Pass it first: toolfold search eval server\.ts questions\.json/,
    ],
    [['search', 'zebra'], /Unknown command zebra\. See toolfold search --help\./],
    [['search', 'evl'], /Unknown command evl\. Did you mean eval\?/],
  ])('rejects an invalid command line: %j', async (argv, message) => {
    const { code, out, err } = await runHere(argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
  });

  it.each([
    [[notion, 'no-such.json'], /no-such\.json does not exist\. Write your questions into it: \{"queries"/],
    [[notion, questions, '--search-file', questions], /questions\.json: .*version/],
    [[notion, questions, '--search-file', 'no-such.json'], /no-such\.json does not exist/],
  ])('exits with 1 for a file that cannot be read, also as JSON: %j', async (argv, message) => {
    const { code, out, err } = await runHere(['search', 'eval', ...argv, '--json']);
    expect(code).toBe(1);
    expect(err).toMatch(message);
    expect(JSON.parse(out)).toMatchObject({
      error: { exitCode: 1, message: expect.stringMatching(message) as string },
    });
  });

  it('rejects a minimum if no question has an answer', async () => {
    const { code, err } = await runHere([
      'search',
      'eval',
      shop(),
      write([{ query: 'a', tools: [] }]),
      '--min-five',
      '85',
    ]);
    expect(code).toBe(1);
    expect(err).toContain('has only questions that no tool answers');
  });

  it('measures the actions of a registry by address, including former ones', async () => {
    const file = join(
      folderWith({
        'a.mjs': `import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
          export default new ToolRegistry().register(new GroupedToolBuilder('desk').description('People and rooms')
            .action({ name: 'ban', aliases: ['block'], description: 'Bans a person', search: { keywords: ['expel'] }, handler: () => '' })
            .action({ name: 'list', description: 'Lists rooms', handler: () => '' }));`,
      }),
      'a.mjs',
    );
    const asked = write([
      { query: 'ban somebody', tool: 'desk/ban' },
      { query: 'expel', tool: 'desk/block' },
      { query: 'rooms', tool: 'desk/list' },
    ]);
    const report = await evaluate([file, asked, '--min-first', '100']);
    expect(report).toMatchObject({ tools: 2, unknown: [], first: { found: 3, of: 3 } });
  });

  it('uses the sidecar and the ranker of a described server', async () => {
    const folder = folderWith({
      'a.mjs': `import { ToolRegistry } from 'toolfold';
        import { defineServer } from 'toolfold/node';
        const tool = (name, description) => ({ name, description, inputSchema: {}, handler: () => '' });
        const registry = new ToolRegistry().register(tool('ban_user', 'Bans a person'),
          tool('refund_order', 'Pays an order back'), tool('hidden_gem', 'Shines'));
        export default defineServer({ registry, view: { form: 'search', search: {
          sidecar: { version: 1, tools: { refund_order: { keywords: ['gimmick'] } } },
          ranker: () => ({ rank: (query) => (query === 'qqq' ? ['hidden_gem'] : []) }),
        } } });`,
    });
    const asked = write([
      { query: 'gimmick', tool: 'refund_order' },
      { query: 'qqq', tool: 'hidden_gem' },
    ]);
    const { five, misses } = await evaluate([join(folder, 'a.mjs'), asked]);
    expect(misses).toEqual([]);
    expect(five).toEqual({ found: 2, of: 2, percent: 100 });
  });

  it('measures a server at a URL and a command, whose questions come first', async () => {
    const { url, close } = await serveHttp(registry, { port: 0, view: { form: 'flat' } });
    onTestFinished(() => close());
    const asked = write([{ query: 'ban a person', tool: 'desk_users_ban' }]);
    expect((await evaluate([String(url), asked])).first.found).toBe(1);
    const sums = write([{ query: 'get the sum of two numbers', tool: 'get-sum' }]);
    const { command, args } = everything;
    expect((await evaluate([sums, '--', command, ...args])).first.found).toBe(1);
  });

  it('rejects a server that lists the search form, because its tools are not shown', async () => {
    const { url, close } = await serveHttp(registry, { port: 0, view: { form: 'search' } });
    onTestFinished(() => close());
    const { code, err } = await runHere(['search', 'eval', String(url), questions]);
    expect(code).toBe(1);
    expect(err).toContain('The server lists the search form, which does not show the tools behind it.');
  });

  it('finds the same tools as the search form of the same registry', async () => {
    const { url, close } = await serveHttp(registry, { port: 0, view: { form: 'search' } });
    onTestFinished(() => close());
    const query = 'ban a person';
    const called = await runHere([
      'call',
      String(url),
      'search_tools',
      `query=${query}`,
      'limit=3',
      '--json',
    ]);
    const { structuredContent } = JSON.parse(called.out) as {
      structuredContent: { tools: { address: string; confidence: string }[] };
    };
    const explained = await runHere(['search', 'explain', server, query, '--limit', '3', '--json']);
    const { tools } = JSON.parse(explained.out) as { tools: { address: string; confidence: string }[] };
    const shown = (rows: typeof tools) => rows.map(({ address, confidence }) => ({ address, confidence }));
    expect(structuredContent.tools.length).toBeGreaterThan(0);
    expect(shown(tools)).toEqual(shown(structuredContent.tools));
  });

  it('ends with 130 when it is interrupted, and says at a terminal how far it is', async () => {
    const many = write(
      Array.from({ length: 20_000 }, (_, at) => ({ query: `order ${at}`, tool: 'refund_order' })),
    );
    const { exit, kill, written } = startHere(['search', 'eval', pathOf(notion), many], { isTTY: true });
    kill('SIGINT');
    expect(await exit).toBe(130);
    expect(written.out).toBe('');
  });
});
