import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { commands } from '../../packages/cli/src/run.js';
import { runHere } from '../../packages/cli/test/cli-program.js';
import { renderTemplate } from '../../packages/cli/src/init/render-template.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const RAW = 'https://raw.githubusercontent.com/toolfold/toolfold/main/';

const project = renderTemplate({ name: 'acme', transport: 'both', auth: 'none' });
const manifestOf = (text: string) => (JSON.parse(text) as { scripts: Record<string, string> }).scripts;

/** The commands in the code blocks of a text. */
const commandsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, lines = '']) => lines.trim().split('\n'));

const files = [
  { path: 'AGENTS.md', text: read('AGENTS.md'), scripts: manifestOf(read('package.json')) },
  {
    path: 'skills/write-an-mcp-server/SKILL.md',
    text: read('skills/write-an-mcp-server/SKILL.md'),
    scripts: {},
  },
  ...['AGENTS.md', '.claude/skills/add-a-tool/SKILL.md'].map((path) => ({
    path: `${path} of a project`,
    text: project.get(path) ?? '',
    scripts: manifestOf(project.get('package.json') ?? ''),
  })),
];

describe.each(files)('$path', ({ text, scripts }) => {
  it('names commands and scripts that exist', () => {
    const named = commandsIn(text);
    expect(named.length).toBeGreaterThan(0);
    for (const line of named) {
      const [, script] = /^npm (?:run )?(\w+)/.exec(line) ?? [];
      const [, command] = /^npx toolfold (\w+)/.exec(line) ?? [];
      if (script !== undefined && script !== 'ci') expect(scripts, line).toHaveProperty(script);
      if (command !== undefined) expect(commands, line).toHaveProperty(command);
      expect(line).toMatch(/^(?:npm (?:run )?\w+|npx toolfold \w+|npx vitest run)/);
    }
  });

  it('links to files that exist', () => {
    for (const [, link = ''] of text.matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
      if (link.startsWith('https:') && !link.startsWith(RAW)) continue;
      expect(existsSync(join(root, link.replace(RAW, ''))), link).toBe(true);
    }
  });
});

describe('llms.txt', () => {
  it('links to files that exist', () => {
    const links = [...read('llms.txt').matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
  });
});

describe('the commands of AGENTS.md of a project', () => {
  const toolfold = commandsIn(project.get('AGENTS.md') ?? '')
    .filter((line) => line.startsWith('npx toolfold '))
    .map((line) =>
      [...line.slice('npx toolfold '.length).matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) => word),
    );

  it.each(toolfold)('run: %s %s', async (...words) => {
    const argv = words.map((word) =>
      word.replaceAll('"', '').replace('src/server.ts', 'packages/cli/templates/server/src/server.ts'),
    );
    const { code, err } = await runHere(argv);
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });
});
