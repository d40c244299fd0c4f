import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const compilerOptions = {
  target: 'es2023',
  lib: ['es2023', 'dom'],
  module: 'nodenext',
  types: [],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

const head = `
import { GroupedToolBuilder, initToolfold, ToolRegistry } from 'toolfold';
import { Toolsets } from 'toolfold/web';
import { z } from 'zod';
interface App { readonly user: string }
interface Other { readonly db: string }
const contextFactory = () => ({ user: 'ada' });
const others = initToolfold<Other>().group('others').action({ name: 'a', handler: ({ context }) => context.app.db });
const definition = { name: 'a', description: 'A', inputSchema: {} } as const;
export type { App };
export { contextFactory, definition, others, Toolsets, ToolRegistry, GroupedToolBuilder, initToolfold, z };
`;

const otherApp = [
  "Types of property ''~app'' are incompatible",
  "Property 'db' is missing in type 'App' but required in type 'Other'",
];
const toolfold = `const t = initToolfold<App>();\nconst handler = () => 'done';\nconst inputSchema = { id: z.string() };\n`;
const fixtures: readonly (readonly [title: string, code: string, errors: readonly string[]])[] = [
  [
    'a registry with an App and no contextFactory',
    `new ToolRegistry<App>({ name: 'a' });`,
    ["Property 'contextFactory' is missing"],
  ],
  ['a builder with another App', `new ToolRegistry<App>({ contextFactory }).register(others);`, otherApp],
  [
    'a list with a builder of another App',
    `new ToolRegistry<App>({ contextFactory }).register([others]);`,
    otherApp,
  ],
  [
    'a toolset with another App',
    `new Toolsets(new ToolRegistry<App>({ contextFactory }), {
      catalog: { a: { name: 'A', description: 'A', tools: [others] } },
      startup: { mode: 'STATIC' },
    });`,
    otherApp,
  ],
  [
    'a return value that does not match the output schema',
    `new ToolRegistry().register({ ...definition, outputSchema: { total: z.number() }, handler: () => ({ total: '1' }) });`,
    ["Types of property 'total' are incompatible", "Type 'string' is not assignable to type 'number'"],
  ],
  [
    'content of an unknown type',
    `new ToolRegistry().register({ ...definition, handler: () => ({ content: [{ type: 'txt' }] }) });`,
    ["Types of property 'content' are incompatible", 'readonly type: "txt"'],
  ],
  [
    'a field that the schemas do not have',
    `new GroupedToolBuilder('a').commonSchema({ b: z.string() }).action({ name: 'c', handler: ({ input }) => input.anything });`,
    ["Property 'anything' does not exist"],
  ],
  [
    'a function that configures a group and returns nothing',
    `initToolfold().group('a').group('b', (group) => { group.action({ name: 'c', handler: () => 1 }); });`,
    ["Type 'void' is not assignable to type 'GroupedActions'"],
  ],
];

/** The first line of each error has the text. */
const firstLines: readonly (readonly [title: string, code: string, text: string])[] = [
  ['a missing contextFactory', `t.registry({ name: 'a' });`, 'readonly contextFactory: ContextFactory<App>'],
  [
    'a missing contextFactory of new ToolRegistry()',
    `new ToolRegistry<App>({ name: 'a' });`,
    'readonly contextFactory: ContextFactory<App>',
  ],
  ['a missing description', `t.action({ name: 'a', inputSchema, handler });`, 'readonly description: string'],
  [
    'an idempotency field that is no argument',
    `t.group('a').action({ name: 'a', inputSchema, idempotency: { field: 'key' }, handler });`,
    `Type '"key"' is not assignable to type '"id"'`,
  ],
  [
    'a list as input',
    `t.group('a').action({ name: 'a', inputSchema: z.array(z.string()), handler });`,
    'The input of a tool is an object',
  ],
  ['a resource without an address', `t.resource({ name: 'a', handler });`, 'ResourceAddress'],
  [
    'a builder whose type would lose its name',
    `new GroupedToolBuilder<App>('users');`,
    'Write initToolfold<App>().group(name), which keeps the name',
  ],
];

describe('the compiler', () => {
  let folder = '';
  let output = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolfold-printed-'));
    await mkdir(join(folder, 'node_modules'));
    for (const name of ['toolfold', 'zod'])
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction');
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    for (const [at, [, code]] of fixtures.entries())
      await writeFile(join(folder, `fixture${at}.ts`), `${head}\n${code}\n`);
    for (const [at, [, code]] of firstLines.entries())
      await writeFile(join(folder, `first${at}.ts`), `${head}\n${toolfold}\n${code}\n`);
    output = await new Promise((resolve) => {
      execFile(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], (_, stdout) => resolve(stdout));
    });
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(fixtures.map(([title, , errors], at) => ({ title, errors, at })))(
    'names the problem of $title',
    ({ errors, at }) => {
      const [, own = ''] = output.split(new RegExp(`^fixture${at}\\.ts|^\\S*/fixture${at}\\.ts`, 'm'));
      const [printed = ''] = own.split(/^\S*fixture\d+\.ts/m);
      for (const error of errors) expect(printed).toContain(error);
    },
  );

  it.each(firstLines.map(([title, , text], at) => ({ title, text, at })))(
    'names the problem of $title in the first line',
    ({ text, at }) => {
      const lines = output.split('\n').filter((line) => line.includes(`first${at}.ts`));
      expect(lines).toEqual([expect.stringContaining(text)]);
    },
  );
});
