import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../run.js';
import { findImports } from './find-imports.js';
import { movedImports } from './moved-imports.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

describe('toolfold upgrade', () => {
  it('leaves a project that compiles and passes its tests', { timeout: 300_000 }, async () => {
    // Below node_modules, so that the project finds the packages of this repository.
    mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
    const folder = mkdtempSync(join(root, 'node_modules/.cache/upgrade-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    expect(await run(['init', folder, '--yes', '--auth', 'api-keys'])).toBe(0);
    const manifest = join(folder, 'package.json');
    const readManifest = () => JSON.parse(readFileSync(manifest, 'utf8')) as { devDependencies: object };
    const {
      '@toolfold/cli': _cli,
      '@toolfold/testing': _testing,
      ...others
    } = readManifest().devDependencies as Record<string, string>;
    writeFileSync(manifest, JSON.stringify({ ...readManifest(), devDependencies: others }));
    const paths = Object.entries(movedImports);
    const testFile = join(folder, 'src/server.test.ts');
    const old = paths.reduce(
      (text, [from, to]) => text.replaceAll(`'${to}'`, `'${from}'`),
      readFileSync(testFile, 'utf8'),
    );
    expect(old).toContain(`'toolfold/testing'`);
    writeFileSync(testFile, old);

    expect(await run(['upgrade', folder, '--write'])).toBe(0);
    expect(readFileSync(testFile, 'utf8')).not.toMatch(/'toolfold\//);
    const { devDependencies } = readManifest();
    expect(devDependencies).toMatchObject({
      '@toolfold/cli': expect.any(String),
      '@toolfold/testing': expect.any(String),
    });

    const bin = (...argv: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: folder, encoding: 'utf8' });
      expect(status, `${stdout}${stderr}`).toBe(0);
    };
    bin(join(root, 'node_modules/typescript/bin/tsc'));
    bin(join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder);
  });
});

interface Node {
  readonly type?: unknown;
  readonly source?: Node | null;
  readonly expression?: Node;
  readonly value?: unknown;
  readonly start?: number;
  readonly end?: number;
}

/** The literals that name the modules of a program, as a parser finds them. */
function sourcesOf(code: string, lang: 'ts' | 'tsx'): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, source, expression } = node as Node;
    const literal = type === 'TSExternalModuleReference' ? expression : source;
    if (typeof type === 'string' && typeof literal?.value === 'string')
      found.push({ start: Number(literal.start), end: Number(literal.end) });
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(code, { lang }));
  return found;
}

describe('findImports', () => {
  it('finds in the programs of this repository what a parser finds', { timeout: 300_000 }, () => {
    let count = 0;
    for (const parent of ['packages/cli/src', 'packages/devtools/page/src', 'examples'])
      for (const file of readdirSync(join(root, parent), { recursive: true, encoding: 'utf8' })) {
        const lang = /(?<!\.d)\.(tsx?)$/.exec(file)?.[1];
        if (lang === undefined || file.includes('node_modules')) continue;
        let code = readFileSync(join(root, parent, file), 'utf8');
        for (const { start, end } of sourcesOf(code, lang as 'ts').toReversed())
          code = `${code.slice(0, start)}'toolfold/search'${code.slice(end)}`;
        const expected = sourcesOf(code, lang as 'ts').map(({ start }) => start + 1);
        const { at } = findImports(code);
        const found = [...at].filter((start) => code.startsWith('toolfold/search', start));
        expect(found, file).toEqual(expected.toSorted((a, b) => a - b));
        count += found.length;
      }
    expect(count).toBeGreaterThan(500);
  });
});
