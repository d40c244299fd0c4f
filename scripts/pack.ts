// Packs every package as npm publishes it: npx tsx scripts/pack.ts <folder>
// A copy is packed, because types without `@internal` members in `dist` would break the types of sibling packages.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { startNpm } from './run-npm.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../', import.meta.url));

export interface Packed {
  readonly name: string;
  readonly tarball: string;
  readonly files: readonly string[];
  readonly unpackedSize: number;
  readonly manifest: {
    readonly version: string;
    readonly exports?: Readonly<Record<string, string | { readonly types: string }>>;
    readonly bin?: Readonly<Record<string, string>>;
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
}

/** Packs the built packages into a folder. */
export async function packAll(folder: string): Promise<ReadonlyMap<string, Packed>> {
  const stage = mkdtempSync(join(tmpdir(), 'toolfold-pack-'));
  try {
    const names = readdirSync(join(root, 'packages'));
    await Promise.all(names.map((name) => copyPackage(join(root, 'packages', name), join(stage, name))));
    const places = names.map((name) => join(stage, name));
    const stdout = await startNpm(
      ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...places],
      stage,
    );
    const reports = JSON.parse(stdout) as {
      name: string;
      filename: string;
      unpackedSize: number;
      files: { path: string }[];
    }[];
    return new Map(
      reports.map(({ name, filename, unpackedSize, files }) => {
        const manifest = JSON.parse(
          readFileSync(join(stage, name.replace('@toolfold/', ''), 'package.json'), 'utf8'),
        ) as Packed['manifest'];
        const tarball = join(folder, filename);
        return [name, { name, tarball, unpackedSize, manifest, files: files.map(({ path }) => path) }];
      }),
    );
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Copies a package, with types without `@internal` members. */
async function copyPackage(from: string, to: string): Promise<void> {
  const { files } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as { files: string[] };
  for (const path of [
    'package.json',
    'README.md',
    'LICENSE',
    ...files.filter((file) => !file.startsWith('!')),
  ])
    cpSync(join(from, path), join(to, path), {
      recursive: true,
      filter: (file) => !/\.d\.ts$|\.tsbuildinfo$/.test(file),
    });
  if (!existsSync(join(from, 'tsconfig.json'))) return;
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const alone = ['--composite', 'false', '--incremental', 'false', '--tsBuildInfoFile', 'null'];
  const options = ['--noCheck', '--stripInternal', '--outDir', join(to, 'dist')];
  await run(process.execPath, [tsc, '-p', from, ...alone, ...options]);
}

let once: Promise<ReadonlyMap<string, Packed>> | undefined;

/** Packs the built packages once in this process, or once for all workers of the slow suite. */
export function packOnce(): Promise<ReadonlyMap<string, Packed>> {
  const server = process.env['PACK_SERVER'];
  once ??= server === undefined ? packTemporarily() : askPackServer(server);
  return once;
}

/** Packs the built packages into a temporary folder, which ends with the process. */
export function packTemporarily(): Promise<ReadonlyMap<string, Packed>> {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-tarballs-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return packAll(folder);
}

/** Asks `test/pack-server.ts`. */
async function askPackServer(url: string): Promise<ReadonlyMap<string, Packed>> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return new Map(JSON.parse(text) as [string, Packed][]);
}

/** Adds to packages the dependencies of those that are packed. */
export function withNeeded(packed: ReadonlyMap<string, Packed>, names: readonly string[]): Set<string> {
  const needed = new Set(names);
  for (const name of needed)
    for (const dependency of Object.keys(packed.get(name)?.manifest.dependencies ?? {}))
      needed.add(dependency);
  return needed;
}

/** What to pass to `npm install` for packages: the tarballs of packed ones, and of all packed ones that they need. */
export function tarballsOf(packed: ReadonlyMap<string, Packed>, names: readonly string[]): string[] {
  const needed = [...withNeeded(packed, names)].filter((name) => packed.has(name) || names.includes(name));
  return needed.map((name) => packed.get(name)?.tarball ?? name);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const { tarball } of (await packAll(process.argv[2] ?? '.')).values()) console.log(tarball);
