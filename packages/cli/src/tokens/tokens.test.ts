import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { folderWith, runHere, startHere } from '../../test/cli-program.js';
import { registry } from '../../../../examples/cli/registry.js';
import { profileNames } from '@toolfold/profiles';
import type { TokenReport } from '@toolfold/analysis/internal';
import { describeSurface } from '@toolfold/testing';
import { countTool, createTokenCounter } from '@toolfold/testing/internal';
import { Exposure } from 'toolfold/web';
import { readSurface } from '../dev/surface.js';

const file = 'examples/cli/registry.ts';
const github = 'test/data/github-tools.json';
const counter = createTokenCounter();

async function report(...argv: string[]): Promise<TokenReport> {
  const { code, out, err } = await runHere(['tokens', '--json', ...argv]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as TokenReport;
}

afterEach(() => vi.unstubAllEnvs());

describe('toolfold tokens with a file', () => {
  it('counts what toolfold inspect, toolfold dev and describeSurface show', async () => {
    const shown = async (command: string): Promise<unknown> =>
      JSON.parse((await runHere([command, 'examples/cli/registry.ts', '--json'])).out);
    const { tokens } = (await shown('tokens')) as { tokens: number };
    const inspected = (await shown('inspect')) as { tokens: { total: number }; forms: unknown };
    expect(inspected.tokens.total).toBe(tokens);
    expect(inspected.forms).toContainEqual({ form: 'grouped', tools: 2, tokens });
    const surface = await readSurface(registry, new Exposure(registry));
    expect(surface.tokens).toBe(tokens);
    expect(describeSurface(registry)).toContain(`about ${tokens} tokens`);
  });

  it('counts the tools in the form and for the profile that a server lists by default', async () => {
    const { tools, tokens, form, profile, kind } = await report(file);
    expect({ form, profile, kind }).toEqual({ form: 'grouped', profile: 'standard', kind: 'module' });
    const listed = registry.view().listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(listed.map(({ name }) => name).toSorted());
    expect(tokens).toBe(listed.reduce((sum, tool) => sum + countTool(tool, counter), 0));
  });

  it('counts every form for every profile as the views of a server list them', async () => {
    const { surfaces } = await report(file, '--all');
    expect(surfaces).toHaveLength(4 * (profileNames.length + 1));
    for (const profile of profileNames) {
      for (const form of ['grouped', 'flat'] as const) {
        const listed = registry.view({ form, profile }).listTools();
        const tokens = listed.reduce((sum, tool) => sum + countTool(tool, counter), 0);
        expect(surfaces).toContainEqual({ form, profile, tools: listed.length, tokens });
      }
    }
  });

  it('measures an action as the tokens that its tool saves without it', async () => {
    const { tools } = await report(file);
    const notes = tools.find(({ name }) => name === 'notes');
    expect(notes?.actions?.map(({ address }) => address).toSorted()).toEqual([
      'notes/text.add',
      'notes/text.list',
      'notes/text.wipe',
    ]);
    const [rest] = registry.view({ actions: ['notes'], exclude: ['notes/text.add'] }).listTools();
    const saved = (notes?.tokens ?? 0) - (rest ? countTool(rest, counter) : 0);
    expect(notes?.actions?.find(({ address }) => address === 'notes/text.add')?.tokens).toBe(saved);
  });

  it('says why a form is not possible', async () => {
    const folder = folderWith({
      'a.mjs': `import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
        export const registry = new ToolRegistry();
        const action = { name: 'b', inputSchema: {}, handler: () => 1 };
        registry.register(
          new GroupedToolBuilder('a').group('b', (group) => group.action({ ...action, name: 'c' })),
          new GroupedToolBuilder('a_b').action({ ...action, name: 'c' }),
        );`,
    });
    const { code, out, err } = await runHere(['tokens', 'a.mjs', '--all'], { cwd: folder });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('flat is not possible: Two tools would both be called "a_b_c" in this form.');
    expect(out).toMatch(/^ {2}portable +\d+ +- +\d+ +\d+$/m);
  });
});

describe('toolfold tokens with a saved list', () => {
  it('counts the tools as they are listed, the most expensive first', async () => {
    const { tools, tokens, profile, surfaces, kind } = await report(github);
    expect({ profile, kind, surfaces }).toEqual({ profile: 'none', kind: 'saved', surfaces: [] });
    expect(tools).toHaveLength(117);
    const costs = tools.map((tool) => tool.tokens);
    expect(costs).toEqual(costs.toSorted((one, other) => other - one));
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBe(tokens);
  });

  it('has a row for each profile with --all', async () => {
    const { surfaces } = await report(github, '--all');
    expect(surfaces.map(({ profile }) => profile)).toEqual(['none', ...profileNames]);
    const { out } = await runHere(['tokens', github, '--all', '--top', '1']);
    expect(out).toMatch(/\nProfiles\n {2}none +[\d,]+ {2}#+\n {2}standard +/);
  });

  it('shows the first tools, and what the others cost', async () => {
    const { out } = await runHere(['tokens', github, '--top', '2']);
    expect(out).toMatch(
      /\nTools\n {2}projects_write .*\n {2}\w+ .*\n {2}and 115 more with [\d,]+ tokens \(\d+\.\d %\)\n/,
    );
  });

  it('counts a huge hostile list approximately, and says so', async () => {
    const folder = folderWith({});
    const tools = [
      { name: 'long', description: 'ab'.repeat(10_000_000), inputSchema: { type: 'object' } },
      {
        name: '\u001b[2Jred\nline',
        description: '<|endoftext|>',
        inputSchema: JSON.parse('{"properties":{"__proto__":{}}}'),
      },
    ];
    writeFileSync(join(folder, 'a.json'), JSON.stringify(tools));
    const { code, out } = await runHere(['tokens', 'a.json'], { cwd: folder });
    expect(code).toBe(0);
    expect(out).toMatch(/^2 tools, about [\d,]+ tokens$/m);
    expect(out).toContain(
      'Very long texts and runs of characters were counted in parts, so the counts are approximate.',
    );
    expect(out).toContain('  [2Jred line ');
  });
});

describe('the budget of toolfold tokens', () => {
  it('fails with the excess, the most expensive tools and the changes that save most', async () => {
    const { code, out } = await runHere(['tokens', github, '--budget', '8000']);
    expect(code).toBe(1);
    const { tokens, tools, parts } = await report(github);
    const number = (value = 0): string => value.toLocaleString('en-US');
    expect(out).toContain(
      `Over the budget: ${number(tokens)} tokens are ${number(tokens - 8_000)} more than 8,000.`,
    );
    expect(out).toContain(`Most expensive: projects_write (${number(tools[0]?.tokens)}), `);
    expect(out).toContain(`Saves most: no descriptions of fields (${number(parts.fields)}), `);
  });

  it('names a cheaper form of a file', async () => {
    const { code, out } = await runHere(['tokens', file, '--form', 'search', '--budget', '10', '--json']);
    expect(code).toBe(1);
    const { budget, tokens, surfaces } = JSON.parse(out) as TokenReport;
    const flat = surfaces.find(({ form }) => form === 'flat');
    expect(flat).toMatchObject({ profile: 'standard' });
    const saved = tokens - (flat && 'tokens' in flat ? flat.tokens : 0);
    expect(budget?.savings).toContainEqual({ change: 'the form flat', tokens: saved });
    expect(budget?.over).toBe(tokens - 10);
  });

  it('passes at exactly the limit, and fails one token below', async () => {
    const { tokens, tools } = await report(file);
    const most = tools[0]?.tokens ?? 0;
    const codeOf = async (...argv: string[]): Promise<number> =>
      (await runHere(['tokens', file, ...argv])).code;
    expect(await codeOf('--budget', String(tokens))).toBe(0);
    expect(await codeOf('--budget', String(tokens - 1))).toBe(1);
    expect(await codeOf('--tool-budget', String(most))).toBe(0);
    expect(await codeOf('--tool-budget', String(most - 1))).toBe(1);
  });

  it('names every tool above --tool-budget', async () => {
    const { code, out } = await runHere(['tokens', github, '--tool-budget', '600', '--top', '1']);
    expect(code).toBe(1);
    expect(out.match(/^Over the budget of a tool: .*$/gm)).toHaveLength(2);
  });
});

describe('the output of toolfold tokens', () => {
  const longest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

  it.each([60, 80, 120])('fits its bars into a terminal of %i columns', async (columns) => {
    const { out } = await runHere(['tokens', github], { isTTY: true, columns });
    const rows = out.slice(out.indexOf('Tools'));
    expect(rows).toContain('▓');
    expect(longest(rows)).toBeLessThanOrEqual(columns);
  });

  it('leaves the bars out if they have no room', async () => {
    const { out } = await runHere(['tokens', github], { isTTY: true, columns: 30 });
    expect(out).not.toContain('▓▓');
    expect(out).toContain('projects_write');
  });

  it.each([
    ['in a pipe', {}, false],
    ['with NO_COLOR', { NO_COLOR: '1' }, true],
    ['at a dumb terminal', { TERM: 'dumb' }, true],
  ])('is ASCII %s', async (_, env, isTTY) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const { out } = await runHere(['tokens', github], { isTTY });
    expect(out).toContain('====');
    // oxlint-disable-next-line no-control-regex
    expect(out).not.toMatch(/[^\u0000-\u007f]|\u001b/);
  });

  it('ends with 130 on Ctrl-C', async () => {
    const { kill, exit, written } = startHere(['tokens', github, '--all']);
    kill('SIGINT');
    expect(await exit).toBe(130);
    expect(written.out).toBe('');
  });
});

describe('an invalid command line of toolfold tokens', () => {
  it.each([
    [[github, '--budget', '8k'], '--budget must be a whole number above 0, not "8k".'],
    [[github, '--top', '0'], '--top must be a whole number above 0, not "0".'],
    [[github, '--tool-budget', '-1'], '--tool-budget must be a whole number above 0, not "-1".'],
    [[github, '--profile', 'gemeni'], 'Unknown profile "gemeni". Did you mean gemini?'],
    [[github, '--form', 'flat'], '--form works only with a file that exports a registry.'],
    [[github, 'more'], 'Unexpected argument "more". See toolfold tokens --help.'],
    [[], 'No server given.'],
  ])('%j is explained', async (argv, message) => {
    const { code, err } = await runHere(['tokens', ...argv]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
