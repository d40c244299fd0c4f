import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packOnce, tarballsOf } from '../../scripts/pack.js';
import { startNpm } from '../../scripts/run-npm.js';

const programs = fileURLToPath(new URL('programs/', import.meta.url));

/** The time that installing packages may take. */
export const INSTALL_MS = 300_000;

/** A project of a user, in an empty folder outside of the repository. */
export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), 'toolfold-project-'));

  constructor(manifest: object = {}) {
    this.write('package.json', JSON.stringify({ name: 'project', private: true, ...manifest }));
  }

  /** Installs packages from the registry, and those of this repository as npm would publish them. Throws if npm fails. */
  async install(...packages: readonly string[]): Promise<void> {
    const names = tarballsOf(await packOnce(), packages);
    await startNpm(['install', '--no-audit', '--no-fund', '--prefer-offline', ...names], this.folder);
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
