import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { describeRules } from '../../../cli/src/lint/describe-rules.js';
import type { Finding } from '@toolfold/analysis';
import { defaultProfiles, listView, listWireTool, readSettings } from '@toolfold/analysis/internal';
import { lintTools } from '../../src/lint/lint-tools.js';
import { ToolRegistry } from 'toolfold';
import type { McpTool } from 'toolfold/model';
import { plantedClientFaults } from './planted-client-faults.js';
import { plantedFaults, tool } from './planted.js';
import type { Planted } from './planted.js';
import { internalsOf } from 'toolfold/internal';

const lint = (tools: readonly McpTool[], { server, isStrict }: Partial<Planted> = {}): readonly Finding[] =>
  lintTools(tools.map(listWireTool), {
    server,
    profiles: isStrict ? ['openai-strict'] : defaultProfiles,
    isChosen: isStrict === true,
    settings: readSettings(undefined),
  }).findings;

/** A registry whose action lists parcels within an output budget. */
const budgeted = (maximum: number, { isOfRegistry = false } = {}) => {
  const outputBudget = { bytes: 8_000 };
  const registry = new ToolRegistry(isOfRegistry ? { outputBudget } : {}).register({
    name: 'find_parcels',
    description: 'Lists the parcels of a customer.',
    readOnly: true,
    inputSchema: z.object({ limit: z.number().int().min(1).max(maximum).describe('Number of parcels.') }),
    outputSchema: z.object({
      parcels: z.array(z.object({ id: z.uuid(), place: z.string(), sent: z.iso.date() })),
    }),
    ...(isOfRegistry ? {} : { outputBudget }),
    handler: () => ({ parcels: [] }),
  });
  return lintTools(listView(registry.view(), internalsOf(registry).outputBudget), {
    profiles: [],
    isChosen: true,
    settings: readSettings(undefined),
  }).findings;
};

describe('the rule schema-slow', () => {
  const point = z.looseObject({});
  const branches = Array.from({ length: 10 }, (_, index) => z.object({ [`f${index}`]: z.string() }));
  const [input, output] = ['/inputSchema/properties/a', '/outputSchema/properties/b/items'];
  it.each<[string, z.ZodType, readonly string[]]>([
    ['a template literal', z.templateLiteral([z.string(), '-', z.string()]), [input, output]],
    ['an intersection of open objects', z.intersection(point, point), [input, output]],
    [
      'an intersection of records',
      z.record(z.string(), z.string()).and(z.record(z.string(), z.any())),
      [input, output],
    ],
    [
      'a catchall of a union',
      z.object({}).catchall(z.union(branches)),
      [`${input}/additionalProperties`, `${output}/additionalProperties`],
    ],
    [
      'a union behind a pipe',
      z
        .array(z.any())
        .prefault([])
        .pipe(z.array(z.union(branches))),
      [`${input}/items`, `${output}/items`],
    ],
    ['a union that only results repeat', z.union(branches), [output]],
    ['a template literal with one open part', z.templateLiteral(['id-', z.string()]), []],
    [
      'an intersection of objects with fixed fields',
      z.object({ x: z.any() }).and(z.object({ y: z.any() })),
      [],
    ],
    ['a small union', z.array(z.union(branches.slice(0, 3))), []],
  ])('names the parts of a registry whose limits are lower, and no others: %s', (_what, field, pointers) => {
    const registry = new ToolRegistry().register({
      name: 'find_parcels',
      description: 'Lists the parcels of a customer.',
      readOnly: true,
      inputSchema: z.object({ a: field.describe('What to find.') }),
      outputSchema: z.object({ b: z.array(field) }),
      handler: () => ({ b: [] }),
    });
    const settings = readSettings(undefined);
    const { findings } = lintTools(listView(registry.view()), { profiles: [], isChosen: true, settings });
    const found = findings.filter(({ rule }) => rule === 'schema-slow').map(({ pointer }) => pointer);
    expect(found).toEqual(pointers);
  });
});

describe('the rule default-computed', () => {
  const findingsOf = (field: z.ZodType) => {
    const registry = new ToolRegistry();
    registry.register({
      name: 'note_time',
      description: 'Notes a time for a later look',
      inputSchema: z.object({ at: field }),
      readOnly: true,
      handler: () => 'ok',
    });
    const settings = readSettings(undefined);
    return lintTools(listView(registry.view()), { profiles: [], isChosen: true, settings }).findings;
  };
  const now = z.string().default(() => new Date().toISOString());

  it('finds a default that a function computes, because no list shows it', () => {
    expect(findingsOf(now.describe('Time of the note.'))).toMatchObject([
      { rule: 'default-computed', pointer: '/inputSchema/properties/at' },
    ]);
  });

  it('accepts a computed default that the description names, and a default that is listed', () => {
    expect(findingsOf(now.describe('Time of the note. Default: now.'))).toEqual([]);
    expect(findingsOf(z.string().default('now').describe('Time of the note.'))).toEqual([]);
  });
});

describe('the planted faults', () => {
  it('include one for every rule; a new rule needs a planted fault', () => {
    const planted = [...plantedFaults, ...plantedClientFaults].map(({ rule }) => rule);
    expect(
      [
        ...new Set([
          ...planted,
          'default-computed',
          'limit-above-budget',
          'output-schema-missing',
          'search-keywords-missing',
        ]),
      ].toSorted(),
    ).toEqual(
      describeRules()
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  it.each(plantedFaults.map((planted) => [planted.rule, planted] as const))(
    'of the rule %s is found, and nothing is found without it',
    (rule, planted) => {
      const own = (findings: readonly Finding[]) => findings.filter(({ clients }) => !clients);
      const found = new Set(lint(planted.faulty, planted).map((finding) => finding.rule));
      // The finding of a client replaces that of the linter about the same place.
      const same = { 'required-undefined': 'required-defined', 'field-type-missing': 'typed-schemas' }[rule];
      expect(found.has(rule) || (same !== undefined && found.has(same))).toBe(true);
      expect(own(lint(planted.faulty, planted)).every((finding) => finding.rule === rule)).toBe(true);
      expect(own(lint(planted.clean, planted))).toEqual([]);
    },
  );

  it('of the output budget is found in a definition, and a maximum that fits is not', () => {
    expect(budgeted(500)).toMatchObject([
      {
        rule: 'limit-above-budget',
        tool: 'find_parcels',
        pointer: '/inputSchema/properties/limit/maximum',
        fix: expect.stringContaining('Lower the maximum to'),
      },
    ]);
    expect(budgeted(500, { isOfRegistry: true })).toMatchObject([{ rule: 'limit-above-budget' }]);
    expect(budgeted(50)).toEqual([]);
  });

  it('of the search is found in a server with the search form, once for all tools without keywords', () => {
    const searched = (...keywords: readonly (readonly string[])[]) =>
      lintTools([], {
        profiles: [],
        isChosen: true,
        settings: readSettings(undefined),
        searched: keywords.map((words, at) => ({ address: `tool_${at}`, keywords: words })),
      }).findings;
    expect(searched(['parcel'], [], [])).toMatchObject([
      {
        rule: 'search-keywords-missing',
        severity: 'note',
        tool: '',
        reason: expect.stringContaining('2 of 3 tools have no search keywords: "tool_1", "tool_2".'),
        fix: expect.stringContaining('toolfold search draft'),
      },
    ]);
    expect(searched(['parcel'], ['van'])).toEqual([]);
    expect(lint([tool('find_parcels')])).toEqual([]);
  });

  it.each(plantedClientFaults.map((planted) => [planted.rule, planted] as const))(
    'of the client rule %s is found, and its clean twin is accepted',
    (rule, planted) => {
      expect(lint(planted.faulty, planted).map((finding) => finding.rule)).toContain(rule);
      expect(lint(planted.clean, planted).map((finding) => finding.rule)).not.toContain(rule);
    },
  );

  it('gives every finding a place, a reason, a fix, a source and a date', () => {
    for (const planted of [...plantedFaults, ...plantedClientFaults])
      for (const finding of lint(planted.faulty, planted)) {
        expect(finding.reason).toMatch(/\.$|\."$/);
        expect(finding.fix).toMatch(/\.$/);
        expect(finding.source).not.toBe('');
        expect(finding.date).toMatch(/^20\d\d-\d\d$/);
      }
  });

  it('reports what a client rejects and what misleads models once, with the higher severity', () => {
    const faulty = tool(
      'find_parcels',
      {},
      { inputSchema: { type: 'object', properties: {}, required: ['place'] } },
    );
    expect(lint([faulty])).toMatchObject([
      { rule: 'required-defined', severity: 'error', clients: ['gemini'] },
    ]);
  });

  it('reports hints and keywords of the wrong type', () => {
    const odd = tool(
      'find_parcels',
      {},
      {
        annotations: { readOnlyHint: 'yes' },
        inputSchema: { type: 'object', properties: {}, required: 'place', enum: 'x' },
      },
    );
    const rules = lint([odd]).map(({ rule, pointer }) => `${rule} ${pointer}`);
    expect(rules).toContain('hints-missing /annotations');
    expect(rules).toContain('schema-invalid /inputSchema/required');
    expect(rules).toContain('schema-invalid /inputSchema/enum');
  });

  it('finds nothing in a tool without faults', () => {
    expect(
      lint([tool('find_parcels', { query: { type: 'string', description: 'Text to look for.' } })]),
    ).toEqual([]);
  });
});
