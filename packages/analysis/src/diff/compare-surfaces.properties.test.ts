import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../../../../test/runs.js';
import { compileWithAjv, toolSchema } from '../../../schema/test/schema-pairs.js';
import type { JsonSchemaObject } from 'toolfold';
import { loadLinearPatterns } from '@toolfold/schema/internal';
import { compareSurfaces } from './compare-surfaces.js';
import type { Surface, SurfaceItem, SurfaceTool } from './surface.js';

beforeAll(() => loadLinearPatterns());
const object = (properties: Record<string, unknown>, more: object = {}): JsonSchemaObject => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
});
const surface = (tools: readonly SurfaceTool[], source: Surface['source'] = 'registry'): Surface => ({
  source,
  tools,
});
const compare = (before: Partial<SurfaceItem>, after: Partial<SurfaceItem>, source?: Surface['source']) =>
  compareSurfaces(
    surface([{ name: 't', inputSchema: object({}), ...before }], source),
    surface([{ name: 't', inputSchema: object({}), ...after }], source),
  );

describe('the comparison of generated surfaces', () => {
  /** Operations with a known verdict: the severities that one of the changes must have. */
  const operations: readonly (readonly [
    string,
    (schema: JsonSchemaObject) => Partial<SurfaceItem>,
    RegExp,
  ])[] = [
    [
      'closes',
      (schema) => ({ inputSchema: { ...schema, additionalProperties: false, patternProperties: undefined } }),
      /^(?!compatible$)/,
    ],
    [
      'requires',
      (schema) => ({
        inputSchema: { ...schema, required: [...((schema['required'] as string[] | undefined) ?? []), 'zz'] },
      }),
      /^(?:breaking|undecided|minor)$/,
    ],
    ['forbids', (schema) => ({ inputSchema: { ...schema, not: {} } }), /^(?:breaking|undecided)$/],
    ['adds a scope', (schema) => ({ inputSchema: schema, scopes: ['s'] }), /^breaking$/],
    ['writes', (schema) => ({ inputSchema: schema, annotations: { readOnly: false } }), /^risky$/],
  ];

  it.each(operations)('never finds a tool that %s compatible', async (_, operate, expected) => {
    await fc.assert(
      fc.asyncProperty(toolSchema, async (inputSchema) => {
        const before = {
          inputSchema: JSON.parse(JSON.stringify(inputSchema)) as JsonSchemaObject,
          annotations: { readOnly: true },
        };
        const after = { annotations: { readOnly: true }, ...operate(before.inputSchema) };
        const changed = JSON.parse(JSON.stringify(after)) as Partial<SurfaceItem>;
        const { severity, changes } = await compare(before, changed);
        const accepts = compileWithAjv(before.inputSchema);
        const rejects = compileWithAjv(changed.inputSchema ?? {});
        if (!accepts || !rejects) return;
        for (const { witness, kind } of changes) {
          if (witness?.acceptedBy !== 'before' || !kind.startsWith('input')) continue;
          expect(accepts(witness.value) && !rejects(witness.value)).toBe(true);
        }
        // A schema that accepts no value at all, or not the one in question, stays the same.
        if (severity !== undefined && severity !== 'note') expect(severity).toMatch(expected);
      }),
      { numRuns: runs(150) },
    );
  });

  it('finds no change between a surface and itself', async () => {
    await fc.assert(
      fc.asyncProperty(toolSchema, async (inputSchema) => {
        expect(
          (await compare({ inputSchema }, { inputSchema: structuredClone(inputSchema) })).changes,
        ).toEqual([]);
      }),
      { numRuns: runs(200) },
    );
  });

  it('finds a tool whose schema gets an alternative compatible', async () => {
    await fc.assert(
      fc.asyncProperty(toolSchema, async (schema) => {
        const { $defs, ...own } = schema;
        const before = { type: 'object', anyOf: [own], $defs };
        const after = { type: 'object', anyOf: [own, { type: 'object', required: ['q'] }], $defs };
        expect(
          (await compare({ inputSchema: before }, { inputSchema: after })).changes.map(
            ({ severity }) => severity,
          ),
        ).not.toContain('breaking');
      }),
      { numRuns: runs(150) },
    );
  });
});
