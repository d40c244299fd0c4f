/** Lints surfaces that people maintain: a finding there must be one that they would accept. */
import { readFileSync } from 'node:fs';
import { Exposure } from 'toolfold/web';
import { describe, expect, it } from 'vitest';
import type { Finding } from '@toolfold/analysis';
import { defaultProfiles, listView, listWireTool, readSettings } from '@toolfold/analysis/internal';
import { lintTools } from '../../src/lint/lint-tools.js';
import type { ListedTool } from '@toolfold/analysis/internal';
import { owner } from '../../../../examples/showcase/access.js';
import { createFinance } from '../../../../examples/showcase/finance.js';
import { createServer } from '../../../../examples/showcase/server.js';
import { runHere } from '../../../cli/test/cli-program.js';
import { githubTools } from '../../../../test/catalog/github.js';
import type { McpTool } from 'toolfold/model';

const lint = (tools: readonly ListedTool[], config?: string): readonly Finding[] =>
  lintTools(tools, { profiles: defaultProfiles, isChosen: false, settings: readSettings(config) }).findings;

const short = (findings: readonly Finding[]) =>
  findings.map(
    ({ severity, rule, tool, action }) =>
      `${severity} ${rule} ${tool}${action === undefined ? '' : `/${action}`}`,
  );

describe('toolfold lint on the 117 tools of GitHub', () => {
  it('has few findings, each of which names a fault', () => {
    expect(short(lint((githubTools as unknown as McpTool[]).map(listWireTool)))).toEqual([
      'warning at-most-40-tools ',
      'warning properties-not-empty actions_run_trigger',
      'note description-repeats-name get_discussion_comments',
      'error no-type-list issue_write',
      'warning no-additional-properties issue_write',
      'warning any-of-alone issue_write',
      'note description-repeats-name list_starred_repositories',
      'error object-properties projects_write',
      'warning no-additional-properties projects_write',
      'warning any-of-alone projects_write',
      'warning no-one-of projects_write',
      'warning typed-schemas projects_write',
      'note token-weight projects_write',
      'warning description-long pull_request_read',
      'error description-length-1024 pull_request_review_write',
      'warning no-additional-properties push_files',
      'warning no-one-of update_issue_assignees',
      'warning typed-schemas update_issue_assignees',
      'warning no-one-of update_issue_labels',
      'warning typed-schemas update_issue_labels',
      'warning any-of-alone update_issue_type',
    ]);
  });
});

describe('toolfold lint on the servers of this repository', () => {
  it('finds nothing in the tracker', async () => {
    const { code, out } = await runHere(['lint', 'examples/tracker/server.ts', '--fail-on', 'note']);
    expect(out).toMatch(/^examples\/tracker\/server\.ts: 7 tools with 34 actions, no findings/);
    expect(code).toBe(0);
  });

  it('finds nothing in the template of toolfold init, except that its group mixes reads and a removal', async () => {
    const { code, out } = await runHere(['lint', 'packages/cli/templates/server/src/server.ts', '--json']);
    expect(code).toBe(0);
    expect(short((JSON.parse(out) as { findings: Finding[] }).findings)).toEqual([
      'note group-mixes-risk notes',
    ]);
  });

  it('finds nothing in the showcase, except that its groups mix reads and destructive actions', async () => {
    const { registry, http } = createServer(createFinance({} as never, () => new Date(0)));
    const { toolsets, view } = http;
    const exposure = new Exposure(registry, { toolsets, view });
    const shown = await exposure.viewFor({ caller: { auth: { clientId: 'test', scopes: owner.scopes } } });
    const tools = listView(shown as never);
    expect(tools.length).toBeGreaterThan(5);
    const rest = lintTools(tools, {
      profiles: defaultProfiles,
      isChosen: false,
      isLowered: true,
      settings: readSettings(undefined),
    }).findings.filter(({ rule }) => rule !== 'group-mixes-risk');
    expect(short(rest)).toEqual([]);
    exposure.close();
  });

  it('reads the lint configuration of the tracker, whose entry has a reason', () => {
    const config = readFileSync(
      new URL('../../../../examples/tracker/toolfold.lint.json', import.meta.url),
      'utf8',
    );
    expect(JSON.parse(config)).toMatchObject({
      ignore: [{ rule: 'group-mixes-risk', reason: expect.any(String) }],
    });
  });
});
