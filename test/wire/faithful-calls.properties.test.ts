import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { lowerTool, profileNames } from '@toolfold/profiles';
import { ToolfoldError } from 'toolfold/errors';
import type { McpTool } from '@toolfold/profiles';
import { DefaultValidator } from '@toolfold/schema';
import type { JsonSchemaObject } from '@toolfold/schema';
import { textOf } from '../calls.js';
import { inputSchema, Random, valueFor } from '../../packages/profiles/test/schemas.js';
import { enough, runs } from '../runs.js';
import { serveRaw } from './raw-clients.js';

type Arguments = Readonly<Record<string, unknown>>;

const echo = ({ input }: { readonly input: unknown }): string => JSON.stringify(input);

/** A registry with generated schemas, as single tools and in a grouped one, and their authored inputs by tool. */
function generate(seeds: readonly number[]) {
  const registry = new ToolRegistry({ wireNames: 'any' });
  const tools = new Map<
    string,
    { readonly schema: JsonSchemaObject; readonly inputs: readonly Arguments[] }
  >();
  for (const [at, seed] of seeds.entries()) {
    const random = new Random(seed);
    const schema = inputSchema(random) as JsonSchemaObject;
    const inputs = Array.from({ length: 4 }, () => valueFor(schema, schema, random) as Arguments);
    const action = { name: `t${at}`, description: 'T', inputSchema: schema, handler: echo };
    try {
      if (at % 3 === 0) {
        const builder = new GroupedToolBuilder(`t${at}`)
          .discriminator('__op')
          .action({ ...action, name: 'run' });
        registry.register(builder.action({ name: 'other', inputSchema: {}, handler: echo }));
      } else registry.register(action);
      tools.set(`t${at}`, { schema, inputs });
    } catch (error) {
      // A generated schema may be one that Toolfold rejects at registration.
      if (!(error instanceof ToolfoldError)) throw error;
    }
  }
  return { registry, tools };
}

describe.each(profileNames)(
  'an authored input that is sent as authored to the profile %s over HTTP',
  (profile) => {
    it('arrives unchanged in both eras, unless the list describes the value in another form', async () => {
      let arrived = 0;
      let described = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(), { minLength: 6, maxLength: 6 }), async (seeds) => {
          const { registry, tools } = generate(seeds);
          const clients = await (await serveRaw(registry, { view: { profile } }))();
          const lists = new Map((await clients[0]?.list())?.map((tool) => [tool.name, tool.inputSchema]));
          const authored = new Map(
            registry
              .view({ profile: 'none' })
              .listTools('2025-11-25')
              .map((tool) => [tool.name, tool]),
          );
          for (const [name, { inputs }] of tools) {
            const isGrouped = registry.view().tools.get(name)?.discriminator !== undefined;
            const key = isGrouped ? { __op: 'run' } : {};
            const tool = authored.get(name) as McpTool;
            const lowered = lowerTool(tool, profile);
            for (const input of inputs) {
              const sent = JSON.parse(JSON.stringify({ ...input, ...key })) as Arguments;
              const direct = await registry.executeTool({ name, arguments: sent });
              if (direct.isError === true) continue;
              const read = lowered.decodeListed?.(sent) ?? sent;
              if (JSON.stringify(read) === JSON.stringify(sent)) {
                for (const { call, era } of clients) {
                  arrived++;
                  expect(textOf(await call(name, sent)), `${era} ${name}`).toBe(textOf(direct));
                }
                continue;
              }
              described++;
              // The list says that it is read in another form: JSON text, the text or the value null, or a name that it made up.
              expect(JSON.stringify(lists.get(name)), JSON.stringify(sent)).toMatch(
                /JSON|"null"|Original name|additional_fields|_other"/,
              );
              // A grouped schema lists less than its author if an open action accepts the fields of another one.
              const isListed = new DefaultValidator().compile(tool.inputSchema)(sent).ok;
              for (const { call, era } of clients) {
                expect((await call(name, sent)).isError, `${era} ${name}`).toBe(undefined);
                if (!isListed) continue;
                const encoded = textOf(await call(name, lowered.encode?.(sent) ?? sent));
                expect(JSON.parse(encoded), `${era} ${name}`).toEqual(JSON.parse(textOf(direct)));
              }
            }
          }
        }),
        { numRuns: runs(60) / 4 },
      );
      expect(arrived).toBeGreaterThan(enough(200));
      // Only profiles with JSON text, and made-up names that the generator also uses, describe values in another form.
      if (profile === 'standard') expect(described).toBe(0);
    });
  },
);
