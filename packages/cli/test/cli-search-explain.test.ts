import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith, runHere, startHere } from './cli-program.js';
import { everything } from '../../gateway/test/upstream-servers.js';

const shop = (): string => {
  const file = join(folderWith({}), 'tools.json');
  const tool = (name: string, description: string) => ({
    name,
    description,
    inputSchema: { type: 'object' },
  });
  writeFileSync(
    file,
    JSON.stringify([
      tool('refund_order', 'Pays the price of an order back.'),
      tool('cancel_order', 'Cancels an order before it is sent.'),
      tool('track_parcel', 'Says where a parcel is.'),
      tool('ring\u001b[31m_bell', 'Rings \u001b[31m the bell of the ordered room.'),
    ]),
  );
  return file;
};

interface Explanation {
  readonly query: string;
  readonly searched: number;
  readonly refused: boolean;
  readonly words: { readonly written: string; readonly isUnknown: boolean; readonly isStopWord: boolean }[];
  readonly tools: {
    readonly address: string;
    readonly isFound: boolean;
    readonly missed?: string;
    readonly sum: number;
    readonly parts: { readonly amount: number }[];
  }[];
}

describe('toolfold search explain', () => {
  it('shows the words of the question, and what each adds to the score of each tool', async () => {
    const { code, out, err } = await runHere(['search', 'explain', shop(), 'cancel the order of a llama']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^"cancel the order of a llama" in 4 tools of .*tools\.json\n/);
    expect(out).toMatch(
      /^ {2}word +weight {2}tools\n {2}cancel +0\.\d\d +1\n {2}order +0\.\d\d +\d\n {2}llama +0\.\d\d +0 {2}no tool has it$/m,
    );
    expect(out).toContain('  not searched: the, of, a');
    expect(out).toMatch(
      /^1\. cancel_order {2}score 0\.\d\d, (?:strong|likely|weak)\n {4}0\.\d{3} {2}cancel \(name, description\)$/m,
    );
    expect(out).toMatch(/^ +0\.\d{3} {2}in total$/m);
  });

  it('prints the same as JSON, with parts that add up to the sum', async () => {
    const { code, out } = await runHere(['search', 'explain', shop(), 'cancel the order', '--json']);
    expect(code).toBe(0);
    const { query, searched, tools } = JSON.parse(out) as Explanation;
    expect({ query, searched }).toEqual({ query: 'cancel the order', searched: 4 });
    expect(tools[0]).toMatchObject({ address: 'cancel_order', isFound: true });
    for (const { sum, parts } of tools) {
      expect(parts.reduce((total, { amount }) => total + amount, 0)).toBeCloseTo(sum, 5);
    }
  });

  it('explains why a named tool is not found', async () => {
    const argv = ['search', 'explain', shop(), 'cancel the order', '--limit', '1'];
    const { out } = await runHere([...argv, '--tool', 'refund_order', '--tool', 'track_parcel']);
    expect(out).toMatch(
      /^\d\. refund_order {2}not found: outweighed; score 0\.\d\d\n {4}0\.\d{3} {2}order \(name, description\)$/m,
    );
    expect(out).toMatch(/^- track_parcel {2}not found: no shared word$/m);
  });

  it('says that no tool matches, and which words no tool has', async () => {
    const { code, out } = await runHere(['search', 'explain', shop(), 'zebra xylophone']);
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}zebra +\d\.\d\d +0 {2}no tool has it$/m);
    expect(out).toMatch(/^No tool matches\.$/m);
  });

  it('names the threshold only if a tool is below it', async () => {
    const { out } = await runHere(['search', 'explain', shop(), 'the of']);
    expect(out).toMatch(/^No tool matches\.$/m);
    const { out: below } = await runHere([
      'search',
      'explain',
      shop(),
      'zebra xylophone zither quagga ocelot order',
    ]);
    expect(below).toContain('because the best tool is below the threshold');
  });

  it('escapes control characters of tools and questions', async () => {
    const { out } = await runHere(['search', 'explain', shop(), 'ring \u001b[2J the bell'], { isTTY: true });
    expect(out).toContain('_bell');
    expect(out).not.toContain('\u001b');
  });

  it('searches a question in another script', async () => {
    const file = join(folderWith({}), 'tools.json');
    const inputSchema = { type: 'object' };
    writeFileSync(
      file,
      JSON.stringify([
        { name: 't1', description: '取消会议', inputSchema },
        { name: 't2', description: '查询天气', inputSchema },
      ]),
    );
    const { out } = await runHere(['search', 'explain', file, '请帮我取消会议']);
    expect(out).toMatch(/^1\. t1 {2}score/m);
  });

  it('explains the tools of a command, whose question comes first', async () => {
    const { command, args } = everything;
    const { code, out } = await runHere(['search', 'explain', 'get the sum', '--', command, ...args]);
    expect(code).toBe(0);
    expect(out).toMatch(/^1\. get-sum /m);
  });

  it.each([
    [[], /No question given\. Write it in quotes/],
    [[' '], /No question given/],
    [['cancel', 'order'], /Unexpected argument "order"\. Write the question in quotes\./],
    [['x'.repeat(2_001)], /The question has 2001 characters\. At most 2000 are searched\./],
    [
      ['cancel', '--tool', 'refund_ordr'],
      /No tool has the address "refund_ordr"\. Did you mean "refund_order"\?/,
    ],
    [['cancel', '--limit', '51'], /--limit must be a whole number from 1 to 50, not "51"\./],
  ])('rejects an invalid command line: %j', async (argv, message) => {
    const { code, out, err } = await runHere(['search', 'explain', shop(), ...argv]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
  });

  it('rejects a list without tools', async () => {
    const file = join(folderWith({}), 'tools.json');
    writeFileSync(file, '[]');
    const { code, err } = await runHere(['search', 'explain', file, 'cancel']);
    expect({ code, err }).toEqual({ code: 1, err: 'toolfold: There are no tools to search.\n' });
  });

  it('ends with 130 when it is interrupted', async () => {
    const { exit, kill, written } = startHere(['search', 'explain', shop(), 'cancel the order']);
    kill('SIGINT');
    expect(await exit).toBe(130);
    expect(written.out).toBe('');
  });
});
