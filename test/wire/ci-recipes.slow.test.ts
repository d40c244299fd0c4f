import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { pathOf } from '../../packages/cli/test/cli-program.js';

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
}

interface Workflow {
  readonly on: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly 'runs-on': string; readonly steps: readonly Step[] }>>;
}

interface HookConfig {
  readonly repos: readonly {
    readonly repo: string;
    readonly hooks: readonly {
      readonly id: string;
      readonly entry: string;
      readonly language: string;
      readonly files: string;
    }[];
  }[];
}

const read = (file: string): string => readFileSync(pathOf(`examples/ci/${file}`), 'utf8');
const workflow = parse(read('github-workflow.yml')) as Workflow;
const config = parse(read('pre-commit-config.yaml')) as HookConfig;
const steps = workflow.jobs['tools']?.steps ?? [];

/** A repository with the registry of the example, its lockfile and an origin, in which `toolfold` is installed. */
function createRepository() {
  const root = mkdtempSync(join(tmpdir(), 'toolfold-ci-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [origin, folder, temporary] = [join(root, 'origin.git'), join(root, 'work'), join(root, 'temp')];
  const env = {
    ...process.env,
    GITHUB_BASE_REF: 'main',
    GITHUB_STEP_SUMMARY: join(temporary, 'summary.md'),
    RUNNER_TEMP: temporary,
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  for (const path of [join(folder, 'src'), join(folder, 'node_modules/.bin'), temporary])
    mkdirSync(path, { recursive: true });
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const shell = (script: string) =>
    spawnSync('bash', ['-eo', 'pipefail', '-c', script], { cwd: folder, env, encoding: 'utf8' });
  copyFileSync(pathOf('examples/ci/registry.ts'), join(folder, 'src/registry.ts'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n');
  for (const name of ['toolfold', 'zod', 'tsx', 'esbuild', 'get-tsconfig'])
    symlinkSync(pathOf(`node_modules/${name}`), join(folder, 'node_modules', name));
  symlinkSync('../toolfold/bin/toolfold.js', join(folder, 'node_modules/.bin/toolfold'));
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', origin], { env });
  git('init', '-q', '-b', 'main');
  git('remote', 'add', 'origin', origin);
  const change = (from: string, to: string): void => {
    const file = join(folder, 'src/registry.ts');
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(from);
    writeFileSync(file, text.replace(from, to));
  };
  return { folder, env, git, shell, change };
}

describe('the workflow of docs/guides/ci.md', () => {
  it('runs for pull requests, reads only, and skips the comparison with a label', () => {
    expect(workflow.on).toBe('pull_request');
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(steps.map(({ uses, run }) => uses ?? run?.split('\n')[0])).toHaveLength(7);
    expect(steps.at(-1)?.if).toContain("'breaking change'");
  });

  const run = (name: string): string =>
    steps.find((step) => step.name === name)?.run ?? `exit 99 # no step ${name}`;

  it('passes for the reviewed tools, and fails for each kind of change', () => {
    const { git, shell, change, env } = createRepository();
    expect(shell('npx --no-install toolfold lock src/registry.ts').status).toBe(0);
    // The base branch has no lockfile before the first pull request.
    git('add', '.gitignore');
    git('commit', '-qm', 'Start');
    git('push', '-q', 'origin', 'main');
    expect(shell(run('Compare with the base branch')).status).toBe(0);
    git('add', '-A');
    git('commit', '-qm', 'Add the tools');
    git('push', '-q', 'origin', 'main');
    for (const { run: script } of steps) {
      if (script === undefined || script === 'npm ci') continue;
      const { status, stdout, stderr } = shell(script);
      expect(status, `${script}\n${stdout}\n${stderr}`).toBe(0);
    }
    expect(readFileSync(env.GITHUB_STEP_SUMMARY, 'utf8')).toContain('No changes.');

    git('checkout', '-qb', 'change');
    change('.max(100)', '.max(50)');
    const stale = shell(run('Check that the lockfile is up to date'));
    expect(stale.status).toBe(1);
    expect(stale.stdout).toMatch(
      /^::error file=toolfold\.lock\.json,line=\d+,title=breaking%3A notes\/list::Input narrowed/m,
    );

    expect(shell('npx --no-install toolfold lock src/registry.ts').status).toBe(0);
    expect(shell(run('Check that the lockfile is up to date')).status).toBe(0);
    git('commit', '-qam', 'Lower the limit');
    const breaking = shell(run('Compare with the base branch'));
    expect(breaking.status).toBe(1);
    expect(breaking.stdout).toMatch(
      /^::error file=toolfold\.lock\.json,line=\d+,title=breaking%3A notes\/list::/m,
    );
    expect(readFileSync(env.GITHUB_STEP_SUMMARY, 'utf8')).toContain('#### Breaking');
    expect(shell(`${run('Check the token budget').replace('8000', '10')}`).status).toBe(1);
  });
});

describe('the hooks of docs/guides/ci.md', () => {
  it('reject a commit with a stale, missing or unstaged lockfile', () => {
    const { folder, git, shell, change } = createRepository();
    const hook = join(folder, '.git/hooks/pre-commit');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, read('pre-commit.sh'));
    chmodSync(hook, 0o755);
    const commit = () => shell('git commit -qm change');
    git('add', '-A');
    expect(commit().stderr).toContain('toolfold.lock.json does not exist');
    expect(shell('npx --no-install toolfold lock src/registry.ts').status).toBe(0);
    // The lockfile is up to date, but not part of the commit.
    expect(commit().status).not.toBe(0);
    git('add', '-A');
    expect(commit()).toMatchObject({ status: 0 });
    change('Adds a note', 'Adds one note');
    git('add', '-A');
    expect(commit().stderr).toContain('The tools differ from toolfold.lock.json');
    expect(shell('npx --no-install toolfold lock src/registry.ts').status).toBe(0);
    expect(commit().stderr).toContain('toolfold.lock.json');
    git('add', '-A');
    expect(commit()).toMatchObject({ status: 0 });
  });

  it('of the pre-commit framework run the same commands', () => {
    const { shell } = createRepository();
    const [{ repo = '', hooks = [] } = {}] = config.repos;
    expect(repo).toBe('local');
    expect(shell('npx --no-install toolfold lock src/registry.ts').status).toBe(0);
    for (const { entry, language, files } of hooks) {
      expect(language).toBe('system');
      expect(new RegExp(files).test('src/registry.ts')).toBe(true);
      expect(read('pre-commit.sh')).toContain(entry);
      expect(shell(entry), entry).toMatchObject({ status: 0 });
    }
  });
});
