import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

/** The built page. `npm test` builds it. */
const folder = fileURLToPath(new URL('../../packages/devtools/dist/page/', import.meta.url));

const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== 'NOTICES.txt')
  .map(({ parentPath, name }) => ({ name, text: readFileSync(join(parentPath, name)) }));

const isEditor = (name: string): boolean => name.startsWith('editor-');

const sizeOf = (some: readonly { readonly text: Buffer }[]): number =>
  some.reduce((sum, { text }) => sum + gzipSync(text, { level: 9 }).length, 0);

describe('the built page', () => {
  it('has at most 250 kB without the code editor, gzipped', () => {
    const others = files.filter(({ name }) => !isEditor(name));
    const rows = files.map((file) => `${String(sizeOf([file])).padStart(8)}  ${file.name}`);
    expect(sizeOf(others), rows.join('\n')).toBeLessThanOrEqual(250_000);
  });

  it('begins with the page itself, and loads the sections and the editor when they are shown', () => {
    const html = files.find(({ name }) => name === 'index.html')?.text.toString() ?? '';
    expect(html.match(/<script /g)).toHaveLength(1);
    const first = [...html.matchAll(/(?:src|href)="\/assets\/([^"]+)"/g)].map(([, name = '']) => name);
    expect(first.length).toBeGreaterThan(2);
    expect(first.filter((name) => isEditor(name) || /^(?:connection|draw-chart)-/.test(name))).toEqual([]);
    expect(sizeOf(files.filter(({ name }) => first.includes(name)))).toBeLessThan(50_000);
    const statically = files
      .filter(({ name, text }) => first.includes(name) && /from\s*"\.\/editor-/.test(text.toString()))
      .map(({ name }) => name);
    expect(statically).toEqual([]);
  });

  it('has no script or style in the markup, which the content security policy forbids', () => {
    const html = files.find(({ name }) => name === 'index.html')?.text.toString() ?? '';
    expect(html).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=/i);
  });

  it('names no other host from which it would load something', () => {
    const styles = files
      .filter(({ name }) => /\.(?:css|html)$/.test(name))
      .map(({ text }) => text.toString());
    expect(styles.filter((text) => /https?:\/\//.test(text))).toEqual([]);
  });

  it('comes with the licences of the packages in it', () => {
    const notices = readFileSync(join(folder, 'NOTICES.txt'), 'utf8');
    for (const name of ['preact', '@preact/signals']) expect(notices).toContain(`\n${name}\n`);
  });
});
