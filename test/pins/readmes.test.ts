import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const DOCS = 'https://github.com/toolfold/toolfold/blob/main/';

const packages = readdirSync(new URL('packages/', root)).map((folder) => {
  const manifest = JSON.parse(read(`packages/${folder}/package.json`)) as {
    name: string;
    dependencies: Record<string, string>;
  };
  return { folder, ...manifest };
});
const names = packages.map(({ name }) => name);

/** The packages that the README lists after a text, in the order of the alphabet. */
const listed = (markdown: string, text: string): string[] => {
  const [, list = ''] = new RegExp(`${text}: ([^.]*)\\.`).exec(markdown.replaceAll(/\s+/g, ' ')) ?? [];
  return [...list.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name).toSorted();
};

describe.each(packages)('the README of $name', ({ folder, name, dependencies }) => {
  const markdown = read(`packages/${folder}/README.md`);

  it('says how to install it', () => {
    expect(markdown.split('\n')[0]).toBe(`# ${name}`);
    const [, line = ''] = /^npm (?:install|create) (.+)$/m.exec(markdown) ?? [];
    expect(line.split(' ')).toContain(name.replace('create-', ''));
  });

  it('names its place among the packages', () => {
    expect(listed(markdown, 'Builds on')).toEqual(
      names.filter((other) => dependencies[other] !== undefined).toSorted(),
    );
    const users = packages.filter((other) => other.dependencies[name] !== undefined);
    expect(listed(markdown, 'Used by')).toEqual(users.map((other) => other.name).toSorted());
  });

  it('links to pages that exist', () => {
    const links = [...markdown.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      expect(link.startsWith(DOCS), link).toBe(true);
      expect(existsSync(new URL(link.slice(DOCS.length), root)), link).toBe(true);
    }
  });
});
