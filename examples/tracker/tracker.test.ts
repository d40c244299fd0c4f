import { createClock, createTestClient } from '@toolfold/testing';
import type { TestClientOptions } from '@toolfold/testing';
import '@toolfold/testing/vitest';
import { describe, expect, it } from 'vitest';
import { ADMIN, WRITE } from './app.js';
import { createReports } from './reports.js';
import { createTracker } from './server.js';
import { Store } from './store.js';

// #region setup
const eras = ['2025', '2026'] as const;
const ada = { clientId: 'ada', scopes: [WRITE, ADMIN, 'reports:export'] };
const bob = { clientId: 'bob', scopes: [WRITE] };
const eve = { clientId: 'eve' };

/** A tracker with one project, and clients of it. */
function setUp() {
  const clock = createClock();
  const store = new Store(clock.now);
  store.addProject('WEB', 'Website', 'ada');
  const tracker = createTracker({ store, clock: clock.now });
  const connect = (options: TestClientOptions = {}) =>
    createTestClient(tracker, { auth: ada, ...options, server: { scopes: 'hide', ...options.server } });
  return { clock, store, tracker, connect };
}

const web = <Input extends object>(input: Input) => ({ project: 'WEB', ...input });
const logo = (request_id = 'r1') => web({ title: 'The logo is blurred', request_id });
// #endregion setup

describe('the surface', () => {
  it('has 34 actions in seven tools, and is the published one', async () => {
    const { tracker } = setUp();
    const actions = tracker
      .getToolDefinitions()
      .flatMap((tool): readonly unknown[] => tool.actions ?? [tool]);
    expect(actions).toHaveLength(34);
    await expect(tracker).toMatchSurface('surface.txt');
  });

  // #region hidden
  it.each(eras)('shows a caller of %s only the actions that its scopes allow', async (era) => {
    const { connect } = setUp();
    await using client = await connect({ era, auth: eve });
    const tools = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('issues');
    expect(JSON.stringify(tools)).not.toMatch(/\b(?:archive|delete|export)\b/);
    const result = await client.call('issues', web({ action: 'delete', issue: 'WEB-1' }));
    expect(result).toBeToolError('ErrUnknownAction');
  });
  // #endregion hidden
});

describe.each(eras)('issues for a client of %s', (era) => {
  it('are created once, however often the call is repeated', async () => {
    const { store, connect } = setUp();
    await using client = await connect({ era });
    const [first, second] = [
      await client.call('issues.create', logo()),
      await client.call('issues.create', logo()),
    ];
    expect(first.structuredContent).toMatchObject({ id: 'WEB-1', author: 'ada', status: 'open' });
    expect(second.structuredContent).toEqual(first.structuredContent);
    expect(store.project('WEB').issues.size).toBe(1);
    await client.call('issues.create', logo('r2'));
    expect(store.project('WEB').issues.size).toBe(2);
  });

  // #region confirm
  it('are deleted only if the user confirms', async () => {
    const { store, connect } = setUp();
    await using client = await connect({
      era,
      answers: { elicit: [{ confirm: false }, 'decline', { confirm: true }] },
    });
    await client.call('issues.create', logo());
    const remove = () => client.call('issues.delete', web({ issue: 'WEB-1' }));
    expect(await remove()).toBeToolError(undefined, 'Nothing was deleted');
    expect(await remove()).toBeToolError();
    expect(store.project('WEB').issues.size).toBe(1);
    expect((await remove()).content).toEqual([{ type: 'text', text: 'Deleted WEB-1.' }]);
    expect(client.questions[0]?.message).toBe('Delete WEB-1, "The logo is blurred"?');
    expect(store.project('WEB').issues.size).toBe(0);
  });
  // #endregion confirm

  it('go through their life', async () => {
    const { clock, connect } = setUp();
    await using client = await connect({ era });
    const run = async (action: string, input: object = {}) => {
      const { structuredContent, isError, content } = await client.call(action, web(input));
      expect(isError, JSON.stringify(content)).not.toBe(true);
      return structuredContent;
    };
    await client.call('issues.create', logo());
    await run('planning.labels.create', { name: 'design', color: '#ff0000' });
    await run('planning.labels.add', { issue: 'WEB-1', label: 'design' });
    await run('planning.milestones.create', { name: 'v1', due: '2026-12-24' });
    await run('issues.update', { issue: 'WEB-1', milestone: 'v1', priority: 'high' });
    await run('issues.assign', { issue: 'WEB-1', to: 'ada' });
    await run('comments.add', { issue: 'WEB-1', text: 'On it', request_id: 'c1' });
    expect(await client.call('planning.milestones.close', web({ name: 'v1' }))).toBeToolError(
      undefined,
      '1 open issues',
    );
    clock.advance(60_000);
    expect(await run('issues.close', { issue: 'WEB-1' })).toMatchObject({
      title: 'The logo is blurred',
      status: 'closed',
      labels: ['design'],
      milestone: 'v1',
      closed_at: new Date(clock.now()).toISOString(),
    });
    expect(await run('planning.milestones.close', { name: 'v1' })).toMatchObject({
      closed: true,
      closed_issues: 1,
    });
    expect(await run('issues.list', { label: 'design' })).toMatchObject({
      issues: [{ id: 'WEB-1' }],
      more: 0,
    });
    expect(await run('issues.reopen', { issue: 'WEB-1' })).toMatchObject({ status: 'open', closed_at: null });
  });
});

describe('a rejected call', () => {
  it('tells the model what exists', async () => {
    const { connect } = setUp();
    await using client = await connect();
    expect(await client.call('issues.get', { project: 'WEP', issue: 'WEB-1' })).toBeToolError(
      undefined,
      'There is no project WEP. There are: WEB.',
    );
    expect(await client.call('issues.create', web({ title: '' }) as never)).toBeToolError(
      'ErrValidationFailed',
      'request_id',
    );
    expect(await client.call('members.set_role', web({ name: 'ada', role: 'reader' }))).toBeToolError(
      undefined,
      'only maintainer',
    );
  });

  it('cannot edit the comment of somebody else', async () => {
    const { connect } = setUp();
    await using client = await connect();
    await using other = await connect({ auth: bob });
    await client.call('issues.create', logo());
    await client.call('comments.add', web({ issue: 'WEB-1', text: 'Mine', request_id: 'c1' }));
    const edit = web({ issue: 'WEB-1', comment: 1, text: 'Yours' });
    expect(await other.call('comments.edit', edit)).toBeToolError(undefined, 'Comment 1 is by ada.');
    expect(await client.call('comments.edit', edit)).not.toBeToolError();
  });

  it('is one that a project does not allow after it was archived', async () => {
    const { connect } = setUp();
    await using client = await connect({ answers: { elicit: { confirm: true } } });
    await client.call('projects.archive', { key: 'WEB' });
    expect(await client.call('issues.create', logo())).toBeToolError(undefined, 'Project WEB is archived.');
  });
});

// #region reports
describe('the mounted reports', () => {
  it('have their own rate limit, which calls through the tracker count against', async () => {
    const { clock, store } = setUp();
    const reports = createReports(store, clock.now);
    const tracker = createTracker({ store, clock: clock.now, reports });
    await using client = await createTestClient(tracker, { auth: ada });
    await using alone = await createTestClient(reports, { auth: ada });
    for (let call = 0; call < 29; call++) await client.call('reports_project', web({ action: 'summary' }));
    expect(await alone.call('project.summary', web({}))).not.toBeToolError();
    expect(await client.call('reports_project', web({ action: 'summary' }))).toBeToolError('ErrRateLimited');
    // The limit of the tracker is another one.
    expect(await client.call('issues.list', web({}))).not.toBeToolError();
    clock.advance(60_000);
    expect(await client.call('reports_project', web({ action: 'summary' }))).not.toBeToolError();
  });

  it.each(eras)('export issues with progress to a client of %s', async (era) => {
    const { connect } = setUp();
    await using client = await connect({ era });
    for (const id of ['r1', 'r2']) await client.call('issues.create', logo(id));
    const call = client.start('reports_project', web({ action: 'export' }), { onProgress: () => {} });
    const { content } = await call.result;
    expect(content[0]).toMatchObject({
      text: expect.stringContaining('"WEB-2","open","normal","","The logo'),
    });
    expect(call.progress).toMatchObject([{ progress: 0, total: 2 }]);
  });

  it('export issues as a task', async () => {
    const { connect } = setUp();
    await using client = await connect();
    const task = await client.startTask('reports_project', web({ action: 'export' }));
    expect((await task.result()).content).toEqual([
      { type: 'text', text: 'id,status,priority,assignee,title' },
    ]);
  });
});
// #endregion reports

describe.each(eras)('prompts and resources for a client of %s', (era) => {
  it('come from both registries', async () => {
    const { connect } = setUp();
    await using client = await connect({ era });
    await client.call('issues.create', logo());
    const { sdk } = client;
    const { prompts } = await sdk.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['triage', 'reports_weekly']);
    const { messages } = await sdk.getPrompt({ name: 'reports_weekly', arguments: { project: 'WEB' } });
    expect(messages[0]?.content).toMatchObject({ text: expect.stringContaining('the week of WEB') });
    const { completion } = await sdk.complete({
      ref: { type: 'ref/prompt', name: 'reports_weekly' },
      argument: { name: 'project', value: 'W' },
    });
    expect(completion.values).toEqual(['WEB']);
    const { contents } = await sdk.readResource({ uri: 'tracker://WEB/issues/WEB-1' });
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('The logo is blurred') });
    await expect(sdk.readResource({ uri: 'tracker://WEB/issues/WEB-9' })).rejects.toThrow('Unknown resource');
  });
});

describe('the search', () => {
  it('finds words of titles and comments in all projects', async () => {
    const { clock, connect } = setUp();
    await using client = await connect({ form: 'search' });
    await client.call('issues/create', logo());
    await client.call('comments/add', web({ issue: 'WEB-1', text: 'Only on Safari', request_id: 'c1' }));
    const find = (words: string) => client.call('search_issues', { words });
    expect((await find('safari LOGO')).structuredContent).toMatchObject({ issues: [{ id: 'WEB-1' }] });
    await client.call('issues/close', web({ issue: 'WEB-1' }));
    // Results are cached for ten seconds.
    expect((await find('safari LOGO')).structuredContent).toMatchObject({ issues: [{ status: 'open' }] });
    clock.advance(10_001);
    expect((await find('safari LOGO')).structuredContent).toMatchObject({ issues: [{ status: 'closed' }] });
  });
});
