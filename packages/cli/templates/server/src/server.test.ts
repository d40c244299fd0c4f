import { createTestClient } from '@toolfold/testing';
import '@toolfold/testing/vitest';
import { describe, expect, it } from 'vitest';
import { createServer } from './server.js';

const auth = { clientId: 'test', scopes: ['notes:write'] };

describe.each(['2025', '2026'] as const)('a %s client', (era) => {
  it('adds, lists and removes notes', async () => {
    await using client = await createTestClient(createServer(), { era, auth });
    const added = await client.call('notes.add', { text: 'Feed the cat' });
    expect(added.structuredContent).toEqual({ id: 1, text: 'Feed the cat' });
    await client.call('notes.add', { text: 'Water the plants' });

    const listed = await client.call('notes.list', { contains: 'cat' });
    expect(listed.structuredContent).toEqual({ notes: [{ id: 1, text: 'Feed the cat' }] });

    const removed = await client.call('notes.remove', { id: 1 });
    expect(removed.content).toEqual([{ type: 'text', text: 'Removed note 1.' }]);
  });

  it('learns what is wrong with a call', async () => {
    await using client = await createTestClient(createServer(), { era, auth });
    expect(await client.call('notes.add', { text: '' })).toBeToolError('ErrValidationFailed', 'text');
    expect(await client.call('notes.remove', { id: 7 })).toBeToolError(
      'ErrToolFailed',
      'There is no note 7.',
    );
  });
  // if api-keys

  it('needs a scope to remove notes', async () => {
    await using client = await createTestClient(createServer(), { era, auth: { clientId: 'guest' } });
    expect(await client.call('notes.remove', { id: 1 })).toBeToolError('ErrInsufficientScope');
  });
  // end
});
