import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putFiles, startPostgres } from './database/test-databases.js';
import { ask, cleanUp, connect, end, scratch, serve, sleep, transfer } from './test-program.js';

const books = join(scratch, 'books');
beforeAll(() => putFiles(books), 60_000);
afterAll(cleanUp);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('an end', () => {
  it('by a signal lets calls finish, and keeps their results', async () => {
    const running = await serve(['--data', books]);
    const client = await connect(running.url);
    await transfer(client, 'warm');
    const calls = Array.from({ length: 20 }, (_, index) => transfer(client, `asked-${index}`));
    await Promise.race(calls);
    running.child.kill('SIGTERM');
    const answers = await Promise.allSettled(calls);
    expect(await running.exit).toBe(0);
    const done = answers.filter(({ status }) => status === 'fulfilled').length;
    expect(done).toBeGreaterThan(0);
    const again = await serve(['--data', books]);
    const later = await connect(again.url);
    const found = await ask(later, 'transfers', 'list', { limit: 200 });
    for (const answer of answers)
      if (answer.status === 'fulfilled')
        expect(found).toContain(`  ${(JSON.parse(answer.value) as { id: number }).id},`);
    expect(await ask(later, 'reports', 'check')).toContain('"is_balanced":true');
    await later.close();
    await end(again);
  });

  it('by a signal to npm reaches the program behind the shell of the script', async () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
    // In place of npm, because building here would remove the build that other tests use.
    const npm = join(scratch, 'npm-cli.js');
    writeFileSync(npm, '');
    const folder = join(scratch, 'behind-a-shell');
    await putFiles(folder);
    const shell = spawn('sh', ['-c', `${scripts.start} --json --port 0 --data ${folder}`], {
      env: { ...process.env, DATABASE_URL: '', npm_execpath: npm },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exit = once(shell, 'exit');
    const [said] = (await once(shell.stdout, 'data')) as [Buffer];
    const { pid } = JSON.parse(said.toString()) as { pid: number };
    expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(String(pid));
    shell.kill('SIGTERM');
    await exit;
    // A shell that does not replace itself by the program ends first, and the program notices that.
    await expect.poll(() => existsSync(join(folder, 'lock')), { timeout: 20_000 }).toBe(false);
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
  });

  it('by kill -9 loses no answered write, and repeated requests write nothing twice', async () => {
    const running = await serve(['--data', books]);
    const client = await connect(running.url);
    const answered = new Map<string, number>();
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let index = 0; index < 500; index++) {
        const id = `killed-${writer}-${index}`;
        try {
          answered.set(id, (JSON.parse(await transfer(client, id)) as { id: number }).id);
        } catch {
          // The process was killed, so its last write may or may not be there.
          return id;
        }
      }
      return undefined;
    });
    while (answered.size < 25) await sleep(5);
    running.child.kill('SIGKILL');
    const unknown = (await Promise.all(writers)).filter((id) => id !== undefined);
    expect(unknown.length).toBeGreaterThan(0);
    expect(existsSync(join(books, 'lock'))).toBe(true);

    const again = await serve(['--data', books]);
    const later = await connect(again.url);
    const before = await ask(later, 'accounts', 'get', { account: 'Savings' });
    for (const [id, transferId] of answered)
      expect(JSON.parse(await transfer(later, id))).toMatchObject({ id: transferId, is_undone: false });
    expect(await ask(later, 'accounts', 'get', { account: 'Savings' })).toBe(before);
    for (const id of unknown)
      expect(JSON.parse(await transfer(later, id))).toEqual(JSON.parse(await transfer(later, id)));
    expect(await ask(later, 'reports', 'check')).toContain('"is_balanced":true');
    await later.close();
    await end(again);
  });
});

const server = await startPostgres();
afterAll(() => server?.stop());

describe.runIf(server)('on PostgreSQL', () => {
  it('several processes start at once, create the books once, and work concurrently', async () => {
    const env = { DATABASE_URL: (await server?.createDatabase()) ?? '' };
    const [one, two] = await Promise.all([serve([], env), serve([], env)]);
    const [ada, bob] = await Promise.all([connect(one.url), connect(two.url)]);
    const ids = Array.from({ length: 30 }, (_, index) => `shared-${index % 15}`);
    const made = await Promise.all(ids.map((id, index) => transfer(index % 2 ? ada : bob, id)));
    expect(new Set(made.map((text) => (JSON.parse(text) as { id: number }).id)).size).toBe(15);
    expect(await ask(ada, 'reports', 'check')).toContain('"is_balanced":true');
    expect(await ask(bob, 'budgets', 'list')).toContain('[2]');
    await Promise.all([ada.close(), bob.close()]);
    await Promise.all([end(one), end(two)]);
  });
});
