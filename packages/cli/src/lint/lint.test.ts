import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from 'sarif';
import { describe, expect, it } from 'vitest';
import { writeSarif } from './report/write-sarif.js';
import { folderWith, runHere } from '../../test/cli-program.js';

const reads = { readOnlyHint: true };
const text = { type: 'string', description: 'Text to look for.' };
const good = {
  name: 'find_parcels',
  description: 'Lists the parcels of a customer.',
  inputSchema: { type: 'object', properties: { query: text } },
  annotations: reads,
};
const withEnum = (values: readonly string[]) => ({
  ...good,
  inputSchema: { type: 'object', properties: { kind: { ...text, enum: values } } },
});
const hidden = { ...good, name: 'list_vans', description: 'Lists vans.\u200b\u200b Ends here.' };
const noText = { name: 'count_vans', inputSchema: { type: 'object', properties: {} }, annotations: reads };

const listOf = (...tools: readonly object[]) =>
  folderWith({ 'tools.json': JSON.stringify({ tools }, undefined, 2) });

const lint = (folder: string, ...argv: readonly string[]) => runHere(['lint', ...argv], { cwd: folder });

interface Report {
  readonly findings: readonly {
    rule: string;
    severity: string;
    location?: { file: string; line?: number };
  }[];
  readonly counts: Record<string, number>;
  readonly fixed: number;
  readonly ignored: number;
}
const reportOf = async (folder: string, ...argv: readonly string[]) => {
  const { code, out, err } = await lint(folder, 'tools.json', '--json', ...argv);
  return { code, err, ...(JSON.parse(out) as Report) };
};
const rulesOf = ({ findings }: Pick<Report, 'findings'>) => findings.map(({ rule }) => rule);

describe('toolfold lint', () => {
  it('exits with 0 and a summary if nothing is found', async () => {
    expect(await lint(listOf(good), 'tools.json')).toEqual({
      code: 0,
      out: 'tools.json: 1 tool, no findings\n',
      err: '',
    });
  });

  it('groups findings by tool, and shows place, reason, fix and source', async () => {
    const { code, out } = await lint(listOf(good, hidden, noText), 'tools.json');
    expect(code).toBe(1);
    expect(out).toContain(
      'list_vans\n  error   hidden-characters  /description\n    The text has 2 invisible characters (U+200B)',
    );
    expect(out).toContain('\n    Fix: Remove them.\n    Source: https://');
    expect(out).toMatch(/count_vans\n {2}warning description-missing {2}\/description\n/);
    expect(out).toMatch(/\ntools\.json: 3 tools, 1 error, 1 warning\n$/);
    // The report never repeats control or invisible characters of a server.
    expect(out).not.toContain('\u200b');
  });

  it('uses colours at a terminal only', async () => {
    const folder = listOf(noText);
    const { out } = await runHere(['lint', 'tools.json'], { cwd: folder, isTTY: true });
    expect(out).toContain('\u001b[33mwarning\u001b[0m');
    expect((await lint(folder, 'tools.json')).out).not.toContain('\u001b');
  });

  it.each([
    [[noText], [], 0],
    [[noText], ['--fail-on', 'warning'], 1],
    [[noText], ['--rule', 'description-missing=error'], 1],
    [[noText], ['--rule', 'description-missing=note', '--fail-on', 'warning'], 0],
    [[hidden], [], 1],
    [[hidden], ['--rule', 'hidden-characters=off'], 0],
  ])('exits with 1 only for findings as severe as --fail-on: %#', async (tools, argv, code) => {
    expect((await lint(listOf(...tools), 'tools.json', ...argv)).code).toBe(code);
  });

  it.each([
    [
      ['--rule', 'hidden-character=off'],
      'there is no rule "hidden-character". Did you mean "hidden-characters"?',
    ],
    [['--rule', 'hidden-characters'], '--rule must have the form id=off|note|warning|error'],
    [
      ['--rule', 'hidden-characters=on'],
      '--rule hidden-characters must be off, note, warning or error, not "on".',
    ],
    [['--profile', 'geminy'], '--profile: there is no profile "geminy". Did you mean "gemini"?'],
    [['--fail-on', 'fatal'], '--fail-on must be error, warning or note, not "fatal".'],
    [['--format', 'xml'], '--format must be text, json, sarif or github, not "xml".'],
    [['--format', 'sarif', '--json'], '--json and --format sarif contradict each other.'],
    [['--output', 'x.json'], '--output works only with --fix.'],
    [['--config', 'none.json'], '--config: the file "none.json" does not exist.'],
    [['extra'], 'Unexpected argument "extra".'],
  ])('rejects an invalid command line: %j', async (argv, message) => {
    const { code, err } = await lint(listOf(good), 'tools.json', ...argv);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it('does not repair running servers', async () => {
    const { code, err } = await lint(listOf(good), '--fix', 'http://localhost:1/mcp');
    expect(code).toBe(2);
    expect(err).toContain('--fix needs a file. Save the answer of tools/list');
  });
});

describe('the configuration of toolfold lint', () => {
  const withConfig = (config: unknown, ...tools: readonly object[]) =>
    folderWith({
      'tools.json': JSON.stringify({ tools }),
      'toolfold.lint.json': typeof config === 'string' ? config : JSON.stringify(config),
    });

  it('sets severities, ignores findings with a reason, and is overridden by the command line', async () => {
    const ignore = [{ rule: 'hidden-characters', tool: 'list_vans', reason: 'They are part of a test.' }];
    const folder = withConfig({ rules: { 'description-missing': 'error' }, ignore }, hidden, noText);
    const report = await reportOf(folder);
    expect(report).toMatchObject({ code: 1, ignored: 1, counts: { error: 1 } });
    expect(rulesOf(report)).toEqual(['description-missing']);
    expect((await reportOf(folder, '--rule', 'description-missing=off')).findings).toEqual([]);
  });

  it('sets the profiles and the severity that fails', async () => {
    const folder = withConfig({ failOn: 'warning', profiles: ['anthropic'] }, noText);
    expect(await reportOf(folder)).toMatchObject({ code: 1, profiles: ['anthropic'] });
    expect((await reportOf(folder, '--fail-on', 'error')).code).toBe(0);
  });

  it('is read from the folder of the file first', async () => {
    const folder = withConfig({ rules: { 'description-missing': 'off' } }, noText);
    expect((await runHere(['lint', join(folder, 'tools.json'), '--fail-on', 'note'])).code).toBe(0);
  });

  it('reports entries that ignore nothing', async () => {
    const folder = withConfig({ ignore: [{ tool: 'gone', reason: 'It was removed.' }] }, good);
    expect((await reportOf(folder)).err).toBe(
      'toolfold: the configuration ignores "gone", which is not found\n',
    );
  });

  it.each([
    ['{', 'toolfold.lint.json cannot be read: '],
    ['[]', 'toolfold.lint.json must be a JSON object.'],
    [{ rule: {} }, '"rule" is not a setting. Did you mean "rules"?'],
    [{ rules: { 'name-dup': 'off' } }, 'toolfold.lint.json: rules: there is no rule "name-dup".'],
    [{ rules: { 'name-case': true } }, 'rules.name-case must be off, note, warning or error, not true.'],
    [{ ignore: [{ rule: 'name-case' }] }, 'ignore[0] must give a reason'],
    [{ ignore: [{ reason: 'x' }] }, 'ignore[0] must name a rule or a tool.'],
    [{ ignore: [{ tools: 'x' }] }, 'ignore[0]: "tools" is not a setting.'],
    [{ profiles: [] }, 'profiles must list one or more profiles.'],
    [{ failOn: 'off' }, 'failOn must be error, warning or note, not "off".'],
  ])('is rejected if it is invalid: %j', async (config, message) => {
    const { code, err } = await lint(withConfig(config, good), 'tools.json');
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe('the formats of toolfold lint', () => {
  it('names the line of a saved list in JSON, and that of the nearest place around a missing one', async () => {
    const { findings } = await reportOf(listOf(good, hidden, noText));
    expect(findings.map(({ rule, location }) => [rule, location])).toEqual([
      ['hidden-characters', { file: 'tools.json', line: 21 }],
      ['description-missing', { file: 'tools.json', line: 35 }],
    ]);
  });

  it('writes SARIF with rules, levels, lines and logical locations', async () => {
    const { code, out } = await lint(listOf(good, hidden, noText), 'tools.json', '--format', 'sarif');
    expect(code).toBe(1);
    const log = JSON.parse(out) as Log;
    expect(log).toMatchObject({ version: '2.1.0', $schema: expect.stringContaining('sarif-2.1.0') });
    const [run] = log.runs;
    const rules = run?.tool.driver.rules ?? [];
    for (const result of run?.results ?? []) {
      expect(rules[result.ruleIndex ?? -1]?.id).toBe(result.ruleId);
      expect(['error', 'warning', 'note']).toContain(result.level);
      expect(result.message.text).not.toBe('');
      for (const { physicalLocation, logicalLocations } of result.locations ?? []) {
        expect(physicalLocation?.artifactLocation?.uri).toBe('tools.json');
        expect(physicalLocation?.region?.startLine).toBeGreaterThan(0);
        expect(logicalLocations?.[0]?.fullyQualifiedName).toMatch(/^(?:list|count)_vans\/description$/);
      }
    }
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    expect(run?.results).toHaveLength(2);
  });

  it('has the type of a SARIF log', () => {
    const report = { source: 'x', tools: 0, actions: 0, profiles: [], findings: [], ignored: 0, fixed: 0 };
    const log: Log = writeSarif({ ...report, counts: { error: 0, warning: 0, note: 0 } }, () => undefined);
    expect(log.runs).toHaveLength(1);
  });

  it('writes workflow commands for GitHub, with escaped texts', async () => {
    const odd = { ...noText, name: 'a:b,c%\nd' };
    const { out } = await lint(listOf(odd), 'tools.json', '--format', 'github', '--profile', 'openai-strict');
    const line = out.split('\n').find((each) => each.includes('description-missing'));
    expect(line).toMatch(
      /^::warning file=tools\.json,line=\d+,title=description-missing%3A a%3Ab%2Cc%25 d::The tool has no description/,
    );
  });

  it('names the line of a tool in the file of its registry', async () => {
    const folder = folderWith({
      'server.mjs': `import { ToolRegistry } from 'toolfold';
export const registry = new ToolRegistry({ name: 'depot' }).register({
  name: 'count_vans',
  description: 'Counts the vans of a depot.',
  inputSchema: {},
  handler: () => 1,
});
`,
    });
    const { out } = await lint(folder, 'server.mjs', '--format', 'github');
    expect(out).toMatch(/^::warning file=server\.mjs,line=3,title=hints-missing%3A count_vans::/m);
  });
});

describe('toolfold lint --fix', () => {
  it('repairs texts, enums and definitions of a saved list in place, and reports what is left', async () => {
    const folder = listOf(hidden, withEnum(['a', 'b', 'a']), {
      ...noText,
      inputSchema: { type: 'object', properties: {}, $defs: { unused: text } },
    });
    const report = await reportOf(folder, '--fix', '--profile', 'anthropic');
    expect(rulesOf(report)).toEqual(['description-missing']);
    expect(report.fixed).toBe(3);
    const text_ = readFileSync(join(folder, 'tools.json'), 'utf8');
    const { tools } = JSON.parse(text_) as { tools: Record<string, unknown>[] };
    expect(tools[0]).toEqual({ ...hidden, description: 'Lists vans. Ends here.' });
    expect(tools[1]).toEqual(withEnum(['a', 'b']));
    expect(tools[2]).toEqual(noText);
    // The layout of the file is kept.
    expect(text_.split('\n')[1]).toBe('  "tools": [');
  });

  it('writes the repaired list to another file with --output, and keeps fields that MCP does not know', async () => {
    const folder = folderWith({
      'tools.json': `${JSON.stringify({ source: 'x', tools: [{ ...hidden, extra: 1 }] })}\n`,
    });
    const before = readFileSync(join(folder, 'tools.json'), 'utf8');
    expect((await lint(folder, 'tools.json', '--fix', '--output', 'fixed.json')).code).toBe(0);
    expect(readFileSync(join(folder, 'tools.json'), 'utf8')).toBe(before);
    expect(JSON.parse(readFileSync(join(folder, 'fixed.json'), 'utf8'))).toEqual({
      source: 'x',
      tools: [{ ...hidden, description: 'Lists vans. Ends here.', extra: 1 }],
    });
  });

  it('repairs lists of several lines line by line', async () => {
    const folder = folderWith({
      'tools.json': `${JSON.stringify({ tools: [hidden] })}\n${JSON.stringify({ tools: [good] })}\n`,
    });
    await lint(folder, 'tools.json', '--fix');
    const lines = readFileSync(join(folder, 'tools.json'), 'utf8').split('\n');
    expect(lines).toEqual([
      JSON.stringify({ tools: [{ ...hidden, description: 'Lists vans. Ends here.' }] }),
      JSON.stringify({ tools: [good] }),
      '',
    ]);
  });

  it('repairs the texts of a registry only where its file contains them once', async () => {
    const source = `import { ToolRegistry } from 'toolfold';
const base = { readOnly: true, inputSchema: {}, handler: () => 1 };
export const registry = new ToolRegistry({ name: 'depot' }).register(
  { ...base, name: 'count_vans', description: 'Counts\u200b the vans of a depot.' },
  { ...base, name: 'count_bikes', description: 'Counts' + '\u200b the bikes of a depot.' },
);
`;
    const folder = folderWith({ 'server.mjs': source });
    const { code, out } = await lint(folder, 'server.mjs', '--fix');
    expect(code).toBe(1);
    expect(out).toContain('count_bikes\n  error   hidden-characters');
    expect(out).toContain('1 error, 1 fixed');
    expect(readFileSync(join(folder, 'server.mjs'), 'utf8')).toBe(
      source.replace('Counts\u200b the vans', 'Counts the vans'),
    );
  });

  it('rewrites what clients reject, if no call has to be translated', async () => {
    const count = { type: 'integer', description: 'Number of parcels.', exclusiveMinimum: 0, multipleOf: 5 };
    const kept = { ...good, inputSchema: { type: 'object', properties: { count } } };
    const renamed = {
      ...good,
      name: 'list_vans',
      description: 'Lists the vans of a depot.',
      inputSchema: { type: 'object', properties: { 'filter[place]': text } },
    };
    const folder = listOf(kept, renamed);
    const report = await reportOf(folder, '--fix');
    expect(rulesOf(report)).toEqual(['property-key']);
    const { tools } = JSON.parse(readFileSync(join(folder, 'tools.json'), 'utf8')) as {
      tools: (typeof kept)[];
    };
    const rewritten = tools[0]?.inputSchema.properties.count;
    expect(rewritten).toMatchObject({ type: 'integer', minimum: 1 });
    expect(rewritten).not.toHaveProperty('multipleOf');
    expect(tools[1]).toEqual(renamed);
  });

  it('explains why the repaired list cannot be written', async () => {
    const folder = listOf(hidden);
    writeFileSync(join(folder, 'plain'), '');
    const { code, err } = await lint(folder, 'tools.json', '--fix', '--output', 'plain/x.json');
    expect(code).toBe(1);
    expect(err).toContain('The repaired list cannot be written: ');
  });
});

describe('toolfold lint on a hostile list', () => {
  it('does not match a default with a pattern that takes exponential time', async () => {
    const field = { ...text, pattern: '^(a+)+$', default: `${'a'.repeat(60)}!` };
    const folder = listOf(
      { ...good, inputSchema: { type: 'object', properties: { linear: field } } },
      {
        ...good,
        name: 'find_vans',
        description: 'Lists the vans that are on the road.',
        inputSchema: {
          type: 'object',
          properties: { back: { ...field, pattern: String.raw`^(a+)+(b)\2$` } },
        },
      },
    );
    const { findings } = await reportOf(folder);
    // The first pattern is matched in linear time. The second cannot be, so its default is not checked.
    expect(findings.filter(({ rule }) => rule === 'default-invalid')).toHaveLength(1);
  });
});

describe('toolfold lint on well-made tools', () => {
  it('accepts ids of sessions and stored secrets, and HTTP methods of stored requests', async () => {
    const field = (name: string, more: object = {}) => ({
      type: 'object',
      properties: { [name]: { ...text, ...more } },
    });
    const folder = listOf(
      { ...good, inputSchema: field('sessionId') },
      {
        name: 'create_request',
        description: 'Stores a request in a collection.',
        inputSchema: field('method', { enum: ['GET', 'POST', 'DELETE'] }),
        annotations: { destructiveHint: false },
      },
    );
    const { findings } = await reportOf(folder);
    const rules = findings.map(({ rule }) => rule);
    expect(rules).not.toContain('secret-parameter');
    expect(rules).not.toContain('group-mixes-risk');
  });

  it('tells descriptions apart by their first sentences, even if a long standard part follows', async () => {
    const standard =
      'Missing resources, invalid identifiers, insufficient permission and rate limits are returned as errors. ' +
      'Provide the numeric id or the complete path that the schema describes, and use pagination as documented.';
    const folder = listOf(
      { ...good, name: 'validate_site', description: `Reads the stored file of a workspace. ${standard}` },
      { ...good, name: 'validate_text', description: `Checks content that the caller sends. ${standard}` },
    );
    const { findings } = await reportOf(folder);
    expect(findings.map(({ rule }) => rule)).not.toContain('description-duplicate');
  });
});

describe('results of actions that code calls', () => {
  it('need a schema in the code form, which one finding asks for', async () => {
    const folder = folderWith({
      'server.mjs': `
        import { ToolRegistry } from 'toolfold';
        const tool = (name, more) => ({ name, description: 'Looks up ' + name + ' by nothing at all.', readOnly: true, inputSchema: {}, handler: () => '', ...more });
        export const registry = new ToolRegistry({ name: 'acme' })
          .register(tool('find_parcels', { outputSchema: { type: 'object' } }), tool('count_vans'));`,
    });
    const findings = async (...argv: readonly string[]) => {
      const { out } = await lint(folder, 'server.mjs', '--json', ...argv);
      return (JSON.parse(out) as Report).findings.filter(({ rule }) => rule === 'output-schema-missing');
    };
    expect(await findings('--form', 'search')).toEqual([]);
    expect(await findings('--form', 'code')).toMatchObject([
      {
        severity: 'warning',
        reason: expect.stringContaining('1 of 2 tools have no output schema: "count_vans".'),
      },
    ]);
  });
});

describe('keywords of the search', () => {
  const source = (view: string) => `
    import { ToolRegistry } from 'toolfold';
    import { defineServer } from 'toolfold/node';
    const tool = (name, more) => ({ name, description: 'Looks up ' + name + ' by nothing at all, and returns them.', readOnly: true, inputSchema: {}, handler: () => '', ...more });
    export const registry = new ToolRegistry({ name: 'acme' })
      .register(tool('find_parcels', { search: { keywords: ['shipment'] } }), tool('count_vans'));
    ${view}`;
  const rules = async (folder: string, ...argv: readonly string[]) => {
    const { out } = await lint(folder, 'server.mjs', '--json', ...argv);
    return (JSON.parse(out) as Report).findings.filter(({ rule }) => rule === 'search-keywords-missing')
      .length;
  };

  it('are suggested with --form search, and for a server in the search form', async () => {
    const plain = folderWith({ 'server.mjs': source('') });
    expect([await rules(plain), await rules(plain, '--form', 'search')]).toEqual([0, 1]);
    const served = folderWith({
      'server.mjs': source("export default defineServer({ registry, view: { form: 'search' } });"),
    });
    expect(await rules(served)).toBe(1);
  });

  it('are not suggested if a search file or a sidecar has them', async () => {
    const words = '{"version":1,"tools":{"count_vans":{"keywords":["trucks"]}}}';
    const folder = folderWith({
      'search.json': words,
      'server.mjs': source(
        `export default defineServer({ registry, view: { form: 'search', search: { sidecar: ${words} } } });`,
      ),
    });
    expect(await rules(folder)).toBe(0);
    const plain = folderWith({ 'search.json': words, 'server.mjs': source('') });
    expect(await rules(plain, '--form', 'search', '--search-file', 'search.json')).toBe(0);
  });

  it('cannot be read from a search file for a list that is not a search', async () => {
    const folder = folderWith({ 'search.json': '{"version":1,"tools":{}}', 'server.mjs': source('') });
    const { code, err } = await runHere(['lint', 'server.mjs', '--search-file', 'search.json'], {
      cwd: folder,
    });
    expect([code, err]).toEqual([
      2,
      'toolfold: --search-file works only with a file and --form search or --form code.\n',
    ]);
  });
});
