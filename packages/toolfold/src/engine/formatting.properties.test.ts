import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ToolContext } from '../define/tool-definition.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { runs } from '../../../../test/runs.js';
import { ResponseFormatter } from './shape-output.js';
import { report, base, run } from '../../test/engine/formatting-setup.js';

describe('output budgets', () => {
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

  it('never produce invalid JSON or violate the schema, for any data', async () => {
    const schema = z.object({
      items: z.array(z.object({ id: z.number(), tags: z.array(z.string()), note: z.string().optional() })),
      page: z.object({ next: z.string().nullable() }),
    });
    const arbitrary = fc.record({
      items: fc.array(
        fc.record(
          {
            id: fc.integer(),
            tags: fc.array(fc.string({ unit: 'grapheme' })),
            note: fc.string({ maxLength: 200 }),
          },
          { requiredKeys: ['id', 'tags'] },
        ),
        { maxLength: 40 },
      ),
      page: fc.record({ next: fc.option(fc.string()) }),
    });
    // One for all cases, because each formatter that was overridden slows down all later promises of the process before Node 24.
    const responseFormatter = new ResponseFormatter();
    await fc.assert(
      fc.asyncProperty(
        arbitrary,
        fc.integer({ min: 60, max: 3_000 }),
        fc.boolean(),
        async (value, limit, minify) => {
          const result = await run(
            { outputSchema: schema, outputBudget: { bytes: limit }, handler: () => value },
            { responseFormatter },
            { minify },
          );
          if (result.isError === true) {
            expect(report(result).code).toBe('ErrOutputTooLarge');
            return;
          }
          expect(schema.safeParse(result.structuredContent).success).toBe(true);
          expect(bytes(result.structuredContent)).toBeLessThanOrEqual(limit);
          const [first] = result.content as { text: string }[];
          expect(JSON.parse(first!.text)).toEqual(JSON.parse(JSON.stringify(result.structuredContent)));
          expect(
            result.content.reduce(
              (sum, block) => sum + new TextEncoder().encode((block as { text: string }).text).length,
              0,
            ),
          ).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: runs(150) },
    );
  });
});

describe('credentials', () => {
  /** Runs a failing call and returns everything that leaves the server: answers and log lines. */
  async function leave(options: {
    fail: (context: ToolContext<App>) => unknown;
    app?: App;
    request?: object;
    where?: Place;
  }): Promise<string> {
    const { fail, app = {}, request = {}, where = 'handler' } = options;
    const log: unknown[] = [];
    const keep = (fields: object, message: string) => void log.push([fields, message]);
    const boom = (from: unknown): never => {
      throw fail(from as ToolContext<App>);
    };
    const registry = new ToolRegistry<App>({
      contextFactory: () => app,
      logger: { debug: keep, info: keep, warn: keep, error: keep },
    }).register({
      ...base,
      inputSchema: z.looseObject({}),
      ...(where === 'resolver' ? { defaultArgumentResolver: boom as never } : {}),
      middleware: where === 'middleware' ? [({ context: own }) => boom(own)] : [],
      handler: ({ context: own }) => (where === 'handler' ? boom(own) : 1),
    });
    if (where === 'use') registry.use(({ accessToken, caller }) => boom({ accessToken, caller, app }));
    const result = await registry.executeTool({ name: 'get', ...request });
    expect(result.isError).toBe(true);
    return JSON.stringify([result, log]);
  }
  type App = Record<string, unknown>;
  type Place = 'handler' | 'middleware' | 'resolver' | 'use';

  it('anywhere in an error are redacted in any form', async () => {
    const credential = fc
      .string({ unit: fc.constantFrom(...'abcXYZ019-_ é'), minLength: 8, maxLength: 60 })
      .filter((s) => s.trim().length >= 8);
    const hold = fc.constantFrom<(value: string) => { app?: App; request?: object }>(
      (value) => ({ request: { accessToken: value } }),
      (value) => ({ request: { caller: { auth: { sub: 'me', token: value } } } }),
      (value) => ({ app: { apiKey: value } }),
      (value) => ({ app: { db: { password: value } } }),
      (value) => ({ app: { services: [{ name: 'x', client_secret: value }] } }),
      (value) => ({ request: { arguments: { secret: value } } }),
    );
    const plant = fc.constantFrom<(value: string) => unknown>(
      (value) => new Error(value),
      (value) => new Error(`before${value}after`),
      (value) => value,
      (value) => ({ message: `x ${value}` }),
      (value) => ({ toString: () => `x ${value}` }),
      (value) => new Error('outer', { cause: new Error(`inner ${value}`) }),
      (value) =>
        Object.assign(new Error('fields'), {
          status: 401,
          response: { data: { echo: value }, headers: { [value]: value } },
        }),
      (value) => Object.assign(new Error('named'), { name: `E ${value}`, code: value }),
      (value) => new AggregateError([new Error(value)], `many ${value}`),
      (value) => Object.assign(new Error('issues'), { issues: [{ path: [value], message: value }] }),
      (value) => new Error(`url https://x.example/?q=${encodeURIComponent(value)}`),
      (value) => new Error(JSON.stringify({ deep: { value } })),
      (value) => new Error(`basic ${Buffer.from(value).toString('base64')}`),
    );
    const where = fc.constantFrom<Place>('handler', 'middleware', 'resolver', 'use');
    await fc.assert(
      fc.asyncProperty(credential, hold, plant, where, async (value, holding, planting, place) => {
        const given = holding(value);
        // `context.app` is made after admission, so an error of an earlier step cannot contain it.
        if (given.app && (place === 'resolver' || place === 'use')) return;
        const left = await leave({ ...given, where: place, fail: () => planting(value) });
        expect(left).not.toContain(JSON.stringify(value).slice(1, -1));
        expect(left).not.toContain(encodeURIComponent(value));
        expect(left).not.toContain(Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -2));
      }),
      { numRuns: runs(400) },
    );
  });
});
