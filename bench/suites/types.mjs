import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median } from '../measure.mjs';
import { target } from '../report.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tsc = join(
  dirname(createRequire(join(root, 'package.json')).resolve('typescript/package.json')),
  'bin',
  'tsc',
);
/** `npm --prefix test/runtimes ci` installs the older one. */
const compilers = {
  7: tsc,
  5.9: join(root, 'test/runtimes/node_modules/typescript-5.9/bin/tsc'),
};
const GROUP = 10;
const RUNS = 3;

/** Compiler statistics for projects with a growing number of actions. */
export async function run() {
  const folder = await mkdtemp(join(tmpdir(), 'toolfold-types-'));
  try {
    await mkdir(join(folder, 'node_modules'));
    for (const name of ['toolfold', '@toolfold', 'zod'])
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction');
    const [small, medium, large] = [
      await check(folder, 50),
      await check(folder, 200),
      await check(folder, 500),
    ];
    const shapes = [];
    for (const [title, create] of Object.entries(projects)) {
      const checked = [];
      for (const count of [250, 500, 1_000]) checked.push(await check(folder, count, create));
      shapes.push({ title, checked });
    }
    const ratios = await compareWithPlain(folder);
    const early = (medium.instantiations - small.instantiations) / 150;
    const late = (large.instantiations - medium.instantiations) / 300;
    return [
      target('type errors with 500 actions', large.errors, '<=', 0),
      target('instantiations per action, 200 to 500 / 50 to 200', late / early, '<=', 1.1),
      ...ratios,
      ...[small, medium, large].flatMap(({ count, instantiations, checkTime, memory }) => [
        { kind: 'figure', title: `${count} actions: instantiations`, value: instantiations, unit: '' },
        { kind: 'figure', title: `${count} actions: check time`, value: checkTime, unit: 's' },
        { kind: 'figure', title: `${count} actions: memory`, value: memory / 1024, unit: 'MB' },
      ]),
      { kind: 'figure', title: 'instantiations per further action', value: late, unit: '' },
      ...shapes.flatMap(({ title, checked }) => describeShape(title, checked)),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The CPU time of the compiler for 1,000 actions, compared with the same schemas and handlers as plain objects, whose types an author writes.
 *
 * @param {string} folder
 */
async function compareWithPlain(folder) {
  const lines = [];
  for (const [version, compiler] of Object.entries(compilers)) {
    if (!existsSync(compiler)) {
      console.error(`TypeScript ${version} is missing. Run npm --prefix test/runtimes ci.`);
      continue;
    }
    for (const [shape, create] of Object.entries({
      groups: createProject,
      'builders of ten': createBuilders,
    })) {
      const samples = [];
      for (let round = 0; round < RUNS; round++) {
        const plain = await check(folder, 1_000, createPlain, compiler);
        const ours = await check(folder, 1_000, create, compiler);
        samples.push(plain.errors + ours.errors > 0 ? Number.NaN : ours.cpuTime / plain.cpuTime);
      }
      const title = `TypeScript ${version}, 1,000 actions in ${shape}: CPU time / without Toolfold`;
      lines.push(target(title, median(samples), '<=', 1.5, '×'));
    }
  }
  return lines;
}

/**
 * The growth of one shape: the cost of an action among 1,000 compared with an action among 250.
 *
 * @param {string} title
 * @param {readonly Awaited<ReturnType<typeof check>>[]} checked
 */
function describeShape(title, checked) {
  const each = checked.map(({ count, instantiations }) => instantiations / count);
  return [
    target(
      `type errors in ${title}`,
      checked.reduce((sum, { errors }) => sum + errors, 0),
      '<=',
      0,
    ),
    ...checked.flatMap(({ count, instantiations, checkTime }) => [
      { kind: 'figure', title: `${count} ${title}: instantiations`, value: instantiations, unit: '' },
      { kind: 'figure', title: `${count} ${title}: check time`, value: checkTime, unit: 's' },
    ]),
    {
      kind: 'figure',
      title: `${title}: instantiations per action, 1,000 / 250`,
      value: (each.at(-1) ?? 0) / (each[0] ?? 1),
      unit: '',
    },
  ];
}

/**
 * @param {string} folder
 * @param {number} count
 * @param {(count: number) => string} [create]
 * @param {string} [compiler]
 */
async function check(folder, count, create = createProject, compiler = tsc) {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['server.ts'] }));
  await writeFile(join(folder, 'server.ts'), create(count));
  // One thread, because several threads would each check the shared types, and their number depends on the machine.
  const threads = compiler === tsc ? ['--singleThreaded'] : [];
  const command = [compiler, '-p', folder, '--extendedDiagnostics', '--pretty', 'false', ...threads];
  const timed = ['-c', '"$0" "$@"; times', process.execPath, ...command];
  const { stdout } = await promisify(execFile)('sh', timed, { maxBuffer: 2 ** 26 }).catch((error) => {
    if (typeof error.stdout === 'string' && error.stdout.includes('Instantiations')) return error;
    throw error;
  });
  /** @param {string} label */
  const read = (label) => Number(new RegExp(`^${label}:\\s+([\\d.]+)`, 'm').exec(stdout)?.[1] ?? Number.NaN);
  const errors = stdout.match(/error TS\d+:.*$/gm) ?? [];
  if (errors.length > 0) console.error(errors.slice(0, 5).join('\n'));
  return {
    count,
    errors: errors.length,
    instantiations: read('Instantiations'),
    checkTime: read('Check time'),
    cpuTime: readCpuTime(stdout),
    memory: read('Memory used'),
  };
}

/**
 * The seconds that `times` of the shell prints last, of the processes that it started: user and system time.
 *
 * @param {string} output
 */
function readCpuTime(output) {
  const times = [...output.matchAll(/(\d+)m([\d.]+)s/g)].slice(-2);
  return times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

const compilerOptions = {
  target: 'es2023',
  lib: ['es2023', 'dom'],
  module: 'nodenext',
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
};

/**
 * One builder with a context, common fields and groups of ten actions. Every handler uses what it was given in a way
 * that only the right types allow.
 *
 * @param {number} count
 */
function createProject(count) {
  const groups = Array.from({ length: count / GROUP }, (_, group) => {
    const actions = Array.from({ length: GROUP }, (_each, action) => createAction(group * GROUP + action));
    return `  .group('group${group}', 'Group ${group}', (g) => g${actions.join('')})`;
  });
  return `import { initToolfold } from 'toolfold';
import { z } from 'zod';

interface App { readonly find: (owner: string, id: number) => Promise<readonly string[]> }

const t = initToolfold<App>();
export const builder = t.group('platform')
  .commonSchema(z.object({ tenant: z.string() }))
${groups.join('\n')};

export const registry = t.registry({ contextFactory: () => ({ find: async () => [] }) }).register(builder);
`;
}

/**
 * The same actions in builders of ten, which are registered together.
 *
 * @param {number} count
 */
function createBuilders(count) {
  const builders = Array.from({ length: count / GROUP }, (_, at) => {
    const actions = repeat(GROUP, (index) => createAction(at * GROUP + index));
    return `const builder${at} = t.group('tool${at}').commonSchema(z.object({ tenant: z.string() }))${actions};`;
  });
  return `import { initToolfold } from 'toolfold';
import { z } from 'zod';

interface App { readonly find: (owner: string, id: number) => Promise<readonly string[]> }

const t = initToolfold<App>();
${builders.join('\n')}
export const registry = t.registry({ contextFactory: () => ({ find: async () => [] }) })
  .register(${repeat(count / GROUP, (at) => `builder${at}`, ', ')});
`;
}

/**
 * The same schemas and handlers without Toolfold.
 *
 * @param {number} count
 */
const createPlain = (count) => `import { z } from 'zod';

interface App { readonly find: (owner: string, id: number) => Promise<readonly string[]> }
interface Context { readonly app: App; readonly signal: AbortSignal }
const common = z.object({ tenant: z.string() });
${repeat(
  count,
  (index) => `const schema${index} = ${createSchema(index)};
export const action${index} = {
  name: 'action${index}',
  description: 'Action ${index}',
  readOnly: ${index % 2 === 0},
  inputSchema: schema${index},
  handler: async ({ input, context }: { input: z.infer<typeof schema${index}> & z.infer<typeof common>; context: Context }) => {
${createBody(index)}
  },
};`,
)}
`;

/** @param {number} index */
const createSchema = (index) => `z.object({
        owner: z.string().min(1).describe('The owner'),
        id${index}: z.number().int().positive(),
        state: z.enum(['open', 'closed', 'state${index}']).optional(),
        labels: z.array(z.string()).max(10).default([]),
        since: z.iso.datetime().optional(),
        filter: z.object({ text: z.string(), exact: z.boolean().optional() }).optional(),
      })`;

/** @param {number} index */
const createBody = (
  index,
) => `        const found: readonly string[] = await context.app.find(input.owner, input.id${index});
        const state: 'open' | 'closed' | 'state${index}' | undefined = input.state;
        context.signal.throwIfAborted();
        return { tenant: input.tenant.trim(), found, state, labels: input.labels.length, text: input.filter?.text };`;

/** @param {number} index */
function createAction(index) {
  return `
    .action({
      name: 'action${index}',
      description: 'Action ${index}',
      readOnly: ${index % 2 === 0},
      inputSchema: ${createSchema(index)},
      handler: async ({ input, context }) => {
${createBody(index)}
      },
    })`;
}

/** @param {number} index */
const createSmallAction = (index) =>
  `{ name: 'action${index}', description: 'A', inputSchema: z.object({ owner: z.string(), id${index}: z.number() }), handler: ({ input }) => input.owner + input.id${index} }`;

/**
 * @param {number} length
 * @param {(index: number) => string} create
 * @param {string} separator
 */
const repeat = (length, create, separator = '\n') =>
  Array.from({ length }, (_, index) => create(index)).join(separator);

const IMPORTS = `import { GroupedToolBuilder, ToolRegistry } from 'toolfold';\nimport { z } from 'zod';\n`;

/**
 * Other shapes of a project, with small actions.
 *
 * @type {Readonly<Record<string, (count: number) => string>>}
 */
const projects = {
  'actions in one chain': (count) =>
    `${IMPORTS}export const registry = new ToolRegistry().register(new GroupedToolBuilder('platform')
${repeat(count, (index) => `  .action(${createSmallAction(index)})`)});`,
  'actions in groups': (count) =>
    `${IMPORTS}export const registry = new ToolRegistry().register(new GroupedToolBuilder('platform')
${repeat(
  count / GROUP,
  (group) =>
    `.group('group${group}', (g) => g${repeat(GROUP, (index) => `.action(${createSmallAction(group * GROUP + index)})`)})`,
)});`,
  'actions in builders of ten': (count) =>
    `${IMPORTS}${repeat(
      count / GROUP,
      (group) =>
        `const builder${group} = new GroupedToolBuilder('tool${group}')${repeat(GROUP, (index) => `.action(${createSmallAction(group * GROUP + index)})`)};`,
    )}
export const registry = new ToolRegistry().register(${repeat(count / GROUP, (group) => `builder${group}`, ', ')});`,
};
