// #region imports
import { readFileSync } from 'node:fs';
import type { McpTool } from 'toolfold/model';
import { createClock, createTestClient } from '@toolfold/testing';
import '@toolfold/testing/vitest';
import { describe, expect, it } from 'vitest';
import { breakingChanges } from './breaking-changes.js';
import { createLibrary, createShelf } from './library.js';

const ada = { clientId: 'ada', scopes: ['books:lend'] };
const emma = { book: 'Emma', to: 'Grace', request_id: 'r1' };
// #endregion imports

// #region first
describe('lending', () => {
  it('lends a book', async () => {
    const shelf = createShelf();
    await using client = await createTestClient(createLibrary(shelf), { auth: ada });
    const result = await client.call('books.lend', emma);
    expect(result.content).toEqual([{ type: 'text', text: 'Emma is lent to Grace' }]);
    expect(shelf.lent.get('Emma')).toBe('Grace');
    const { lent } = await client.tools.books.list({ to: 'Grace' });
    expect(lent).toEqual([{ book: 'Emma', to: 'Grace' }]);
  });
});
// #endregion first

// #region rejected
describe('a rejected call', () => {
  it('lacks the scope, and lends nothing', async () => {
    const shelf = createShelf();
    await using client = await createTestClient(createLibrary(shelf));
    expect(await client.call('books.lend', emma)).toBeToolError('ErrInsufficientScope');
    expect(shelf.lent.size).toBe(0);
  });

  it('has an argument that the schema does not declare', async () => {
    await using client = await createTestClient(createLibrary(createShelf()), { auth: ada });
    const wrong = { ...emma, title: 'Emma' } as never;
    expect(await client.call('books.lend', wrong)).toBeToolError('ErrValidationFailed', 'title');
    expect(await client.call('books.lnd')).toBeToolError('ErrUnknownAction', 'Did you mean "lend"?');
  });

  it('names the reader of a book that is already lent', async () => {
    await using client = await createTestClient(createLibrary(createShelf()), { auth: ada });
    await client.tools.books.lend(emma);
    const again = client.tools.books.lend({ ...emma, request_id: 'r2' });
    await expect(again).rejects.toBeToolError('ErrToolFailed', 'Emma is lent to Grace.');
  });
});
// #endregion rejected

// #region questions
describe.each(['2025', '2026'] as const)('writing off with a %s client', (era) => {
  it('asks the user first', async () => {
    const shelf = createShelf();
    shelf.lend('Emma', 'Grace');
    const answers = { elicit: [{ allow: false }, { allow: true }] };
    await using client = await createTestClient(createLibrary(shelf), { era, answers });
    expect(await client.call('books.write_off', { book: 'Emma' })).toBeToolError('ErrCallNotAllowed');
    expect(shelf.lent.size).toBe(1);
    await client.tools.books.write_off({ book: 'Emma' });
    expect(shelf.lent.size).toBe(0);
    expect(client.questions[0]?.message).toBe('Write "Emma" off?');
  });
});
// #endregion questions

// #region long
describe('counting', () => {
  it('reports progress', async () => {
    await using client = await createTestClient(createLibrary(createShelf()));
    const call = client.start('books.count', { shelves: 2 });
    await call.result;
    expect(call.progress.map(({ message }) => message)).toEqual(['shelf 1', 'shelf 2']);
  });

  it('runs as a task, which is kept for ten minutes', async () => {
    const clock = createClock();
    await using client = await createTestClient(createLibrary(createShelf(), clock.now));
    const task = await client.startTask('books.count', { shelves: 2 });
    expect((await task.result()).content).toEqual([{ type: 'text', text: '2 shelves counted' }]);
    clock.advance(10 * 60_000);
    await expect(task.get()).rejects.toThrow('There is no such task, or its time is over.');
  });

  it('stops when it is cancelled', async () => {
    await using client = await createTestClient(createLibrary(createShelf()));
    const call = client.start('books.count', { shelves: 1_000_000 });
    await expect.poll(() => call.progress.length).toBeGreaterThan(0);
    await call.cancel();
    await expect(call.result).rejects.toBeToolError('ErrCancelled');
  });
});
// #endregion long

// #region clock
describe('over time', () => {
  it('lends once for one request id, and rejects the same id with other arguments', async () => {
    await using client = await createTestClient(createLibrary(createShelf()), { auth: ada });
    const first = await client.call('books.lend', emma);
    expect(await client.call('books.lend', emma)).toEqual(first);
    const other = await client.call('books.lend', { ...emma, book: 'Persuasion' });
    expect(other).toBeToolError('ErrIdempotencyConflict');
  });

  it('limits a caller to five calls per minute', async () => {
    const clock = createClock();
    await using client = await createTestClient(createLibrary(createShelf(), clock.now));
    for (let count = 0; count < 5; count++) await client.tools.books.list();
    expect(await client.call('books.list')).toBeToolError('ErrRateLimited');
    clock.advance(60_000);
    expect(await client.call('books.list')).not.toBeToolError();
  });
});
// #endregion clock

// #region list
describe('the surface', () => {
  const library = createLibrary(createShelf());

  it('equals the snapshot', async () => {
    await expect(library).toMatchSurface('surface.txt');
  });

  it('breaks no client that knows the published tools', () => {
    const published = JSON.parse(
      readFileSync(new URL('published-tools.json', import.meta.url), 'utf8'),
    ) as McpTool[];
    expect(breakingChanges(published, library.view({ form: 'flat' }).listTools())).toEqual([]);
  });
});
// #endregion list

// #region process
describe('without a client', () => {
  it('runs a call through the same pipeline', async () => {
    const request = { name: 'books', arguments: { action: 'lend', ...emma }, caller: { auth: ada } };
    expect(await createLibrary(createShelf()).executeTool(request)).not.toBeToolError();
  });
});
// #endregion process
