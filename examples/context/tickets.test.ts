import { createTestClient } from '@toolfold/testing';
import '@toolfold/testing/vitest';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { createHelpdesk } from './tickets.js';

describe.each(['2025', '2026'] as const)('the helpdesk for a %s client', (era) => {
  it('gives handlers the user that middleware added to the context', async () => {
    const app = { tickets: new Map(), people: new Map([['secret', 'ada']]) };
    await using client = await createTestClient(createHelpdesk(app), { era, auth: { token: 'secret' } });
    await client.call('tickets.open', { id: 't1', title: 'No light' });
    const listed = await client.call('tickets.list');
    expectTypeOf(listed.structuredContent).toEqualTypeOf<{ titles: string[] } | undefined>();
    expect(listed.structuredContent).toEqual({ titles: ['No light'] });
    expect(app.tickets.get('t1')).toEqual({ title: 'No light', owner: 'ada', closed: false });
    const counted = await client.call('count_tickets', { closed: false });
    expect(counted.structuredContent).toEqual({ count: 1 });
  });

  it('does not run handlers for callers who are not signed in', async () => {
    const app = { tickets: new Map(), people: new Map() };
    await using client = await createTestClient(createHelpdesk(app), { era });
    const opened = await client.call('tickets.open', { id: 't1', title: 'No light' });
    expect(opened.isError).toBe(true);
    expect(app.tickets.size).toBe(0);
  });
});
