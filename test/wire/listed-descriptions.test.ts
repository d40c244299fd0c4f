import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { decode } from '@toon-format/toon';
import { GroupedToolBuilder, ToolRegistry, generateDescription } from 'toolfold';
import type { ViewPolicy } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { clientsOfBothEras } from './clients-of-both-eras.js';

const names = Array.from({ length: 20 }, (_, index) => `action_${index}`);
const isDestructive = (name: string) => /[37]$|1[0-2]$/.test(name);

/** A tool with twenty ordinary actions, whose description has more than 2,048 characters. */
const desk = (name = 'desk') =>
  names.reduce(
    (builder, action, index) =>
      builder.action({
        name: action,
        description: `Does the ordinary work number ${index} for one account of the workspace. The result names the account.`,
        destructive: isDestructive(action),
        inputSchema: z.object({ id: z.string(), [`field_${index}`]: z.string() }),
        handler: () => 'done',
      }) as unknown as GroupedToolBuilder,
    new GroupedToolBuilder(name, {}).description('The work of a desk') as GroupedToolBuilder,
  );

const builders = [
  desk(),
  desk('wrapped').strategies({ description: (input) => generateDescription(input) }),
  desk('table').toonDescription(),
];

async function serve(view: ViewPolicy) {
  return serveHttp(new ToolRegistry().register(builders), { port: 0, view });
}

type Served = Awaited<ReturnType<typeof serve>>;
let [byDefault, capped]: (Served | undefined)[] = [];

beforeAll(async () => {
  [byDefault, capped] = await Promise.all([serve({}), serve({ profile: 'openai' })]);
});
afterAll(() => Promise.all([byDefault?.close(), capped?.close()]));

interface Listed {
  readonly description: string;
  readonly inputSchema: { readonly properties: Readonly<Record<string, { readonly description: string }>> };
}

const listedBy = async (
  connect: () => Promise<{ listTools: () => Promise<unknown>; close: () => unknown }>,
) => {
  const client = await connect();
  const { tools } = (await client.listTools()) as { tools: (Listed & { name: string })[] };
  await client.close();
  return new Map(tools.map((tool) => [tool.name, tool]));
};

describe.each(clientsOfBothEras(() => String(byDefault?.url)))('a client %s', (_, connect) => {
  it('reads required fields and warnings of twenty ordinary actions by default [S000-55] [S000-59]', async () => {
    const { description = '' } = (await listedBy(connect)).get('desk') ?? {};
    for (const [index, name] of names.entries()) {
      const warning = isDestructive(name) ? ' ⚠️ DESTRUCTIVE' : '';
      expect(description).toMatch(
        new RegExp(`^- \`${name}\`: .*Requires: id, field_${index}${warning}$`, 'm'),
      );
    }
  });
});

describe.each(clientsOfBothEras(() => String(capped?.url)))('a client %s with a limit', (_, connect) => {
  it.each(['desk', 'wrapped'])(
    'reads required fields and warnings of %s, and the rest at the action',
    async (tool) => {
      const { description, inputSchema } = (await listedBy(connect)).get(tool) as Listed;
      expect(description.length).toBeLessThanOrEqual(1_024);
      for (const [index, name] of names.entries()) {
        const warning = isDestructive(name) ? ' ⚠️ DESTRUCTIVE' : '';
        expect(description).toMatch(
          new RegExp(`^- \`${name}\`: Requires: id, field_${index}${warning}$`, 'm'),
        );
        expect(inputSchema.properties['action']?.description).toContain(`${name}: Does the ordinary work`);
      }
    },
  );

  it('reads whole rows of a TOON table, with their number in its header', async () => {
    const { description, inputSchema } = (await listedBy(connect)).get('table') as Listed;
    expect(description.length).toBeLessThanOrEqual(1_024);
    const rows = decode(description.slice(description.indexOf('['))) as {
      action: string;
      destructive: boolean;
    }[];
    expect(rows.filter(({ destructive }) => destructive).map(({ action }) => action)).toEqual(
      names.filter(isDestructive),
    );
    expect(inputSchema.properties['action']?.description).toContain('action_19: Does the ordinary work');
  });
});
