import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNpm } from '../../scripts/run-npm.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const programs = fileURLToPath(new URL('programs/', import.meta.url));

/** The time that installing packages may take. */
export const INSTALL_MS = 300_000;

/** A project of a user, in an empty folder outside of the repository. */
export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), 'toolfold-project-'));

  constructor(manifest: object = {}) {
    this.write('package.json', JSON.stringify({ name: 'project', private: true, ...manifest }));
  }

  /** Installs packages from the registry, and `toolfold` as npm would publish it. Throws if npm fails. */
  install(...packages: readonly string[]): void {
    const names = packages.map((name) => (name === 'toolfold' ? pack(this.folder) : name));
    npm(['install', '--no-audit', '--no-fund', '--prefer-offline', ...names], this.folder);
  }

  write(file: string, text: string): void {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Copies the programs of the smoke tests into the project. */
  copyPrograms(): void {
    cpSync(programs, this.folder, { recursive: true });
  }

  path(file: string): string {
    return join(this.folder, file);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Packs the built package, and returns the path of the tarball. */
function pack(folder: string): string {
  const report = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root);
  const [{ filename }] = JSON.parse(report) as [{ filename: string }];
  return join(folder, filename);
}

function npm(args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = runNpm(args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} ended with ${status}:\n${stderr}`);
  return String(stdout);
}
