import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inlined } from '../../rolldown.config.js';

/** From the ground up: a folder may import values from those before it. */
const floors = [
  'errors.ts',
  'model',
  'schema',
  'stores',
  'compile',
  'guard',
  'session',
  'format',
  'registry',
  'build',
  'toolsets',
  'redis',
  'serve',
  'testing',
  'openapi',
  'devtools',
  'cli',
];
/** These may import values of an MCP SDK. */
const sdkFloors = new Set(['serve', 'testing', 'cli']);
/** These may need Node; the rest runs anywhere. */
const nodeFloors = new Set(['stores', 'redis', 'serve', 'testing', 'openapi', 'devtools', 'cli']);
/** Bun, Deno and workers have these too. */
const everywhere = new Set(['node:async_hooks', 'node:crypto']);

interface Import {
  readonly file: string;
  readonly from: string;
  readonly typeOnly: boolean;
}

const source = new URL('../../src/', import.meta.url);
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'index.ts',
);
const imports: Import[] = files.flatMap((file) =>
  [
    ...readFileSync(new URL(file, source), 'utf8').matchAll(
      /^(?:import|export) (type )?(?:[^;']*?from )?'([^']+)';|\bimport\('([^']+)'\)/gm,
    ),
  ].map(([, type, from, dynamic]) => ({ file, from: from ?? dynamic ?? '', typeOnly: type !== undefined })),
);
const floorOf = (file: string): string => file.split('/')[0] ?? '';

describe('the import rule', () => {
  it('knows every folder', () => {
    expect([...new Set(files.map(floorOf))].filter((floor) => !floors.includes(floor))).toEqual([]);
    expect(imports.length).toBeGreaterThan(50);
  });

  it('lets a folder import values only from those below it, so that the model needs no engine [S000-01]', () => {
    const wrong = imports.filter(({ file, from, typeOnly }) => {
      if (typeOnly || !from.startsWith('.')) return false;
      const target = new URL(from, new URL(file, source)).href
        .slice(source.href.length)
        .replace(/\.js$/, '.ts');
      return floors.indexOf(floorOf(target)) > floors.indexOf(floorOf(file));
    });
    expect(wrong).toEqual([]);
  });

  it('keeps the values of MCP SDKs at the edge', () => {
    const wrong = imports.filter(
      ({ file, from, typeOnly }) =>
        !typeOnly && from.startsWith('@modelcontextprotocol/') && !sdkFloors.has(floorOf(file)),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps Node out of what runs anywhere', () => {
    expect(
      imports.filter(
        ({ file, from }) =>
          from.startsWith('node:') && !everywhere.has(from) && !nodeFloors.has(floorOf(file)),
      ),
    ).toEqual([]);
  });

  it('keeps the globals of Node out of it as well', () => {
    const users = files.filter(
      (file) =>
        !nodeFloors.has(floorOf(file)) &&
        /\b(?:Buffer[.(]|process\.[a-z]|setImmediate\(|require\(|__dirname)/.test(
          readFileSync(new URL(file, source), 'utf8'),
        ),
    );
    expect(users).toEqual([]);
  });

  it('lets nothing import the index, or anything but declared packages', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      dependencies: object;
      peerDependencies: object;
    };
    const { dependencies, peerDependencies } = manifest;
    const declared = new Set([...Object.keys({ ...dependencies, ...peerDependencies }), ...inlined]);
    const packages = imports
      .map(({ from }) => from)
      .filter((from) => !from.startsWith('.') && !from.startsWith('node:'));
    const nameOf = (from: string): string =>
      from
        .split('/')
        .slice(0, from.startsWith('@') ? 2 : 1)
        .join('/');
    expect([...new Set(packages.map(nameOf))].filter((name) => !declared.has(name))).toEqual([]);
    // The command line is a user of the package like any other, and is not part of what others load.
    const users = imports.filter(
      ({ file, from }) => /(^|\/)index\.js$/.test(from) && floorOf(file) !== 'cli',
    );
    expect(users).toEqual([]);
  });
});
