import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const root = join(import.meta.dirname, '../../..');

/** The name of a package, and its licence. */
function licenceOf(name: string): string {
  const folder = join(root, 'node_modules', name);
  const file = readdirSync(folder).find((path) => /^licen[cs]e/i.test(path));
  if (file === undefined) throw new Error(`The package ${name} has no licence file.`);
  return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}`;
}

/** Writes the licences of the packages that are built into the page, because they must accompany every copy. */
export const notices: Plugin = {
  name: 'notices',
  generateBundle() {
    const names = new Set<string>();
    for (const id of this.getModuleIds()) {
      const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll('\\', '/')) ?? [];
      if (name !== undefined) names.add(name);
    }
    const licences = [...names].toSorted().map(licenceOf);
    const source = `The code in this folder has parts of these packages.\n\n${licences.join('\n\n')}\n`;
    this.emitFile({ type: 'asset', fileName: 'NOTICES.txt', source });
  },
};
