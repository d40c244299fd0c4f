import { useMemo } from 'preact/hooks';
import type { ServerInfo, TreeFindings, TreeNode } from '../../../../src/page-api.js';
import { findings, server, tokens, tree } from '../../api/stores.js';
import { linkTo } from '../../routes.js';
import { FindingBadges } from '../../ui/badge.js';
import { LinkButton } from '../../ui/button.js';
import { CopyButton } from '../../ui/copy.js';
import { EmptyState, Notice } from '../../ui/feedback.js';
import { countOf, formatCount } from '../../ui/figures.js';
import { Name, Text, visibleText } from '../../ui/text.js';
import { mostSevere } from './tree-filter.js';

const MAX_SHOWN = 8;

/**
 * Shown while no item is selected: describes the server and its instructions, and links to items that need attention.
 */
export function Overview() {
  const info = server.value;
  const nodes = tree.value?.nodes;
  if (!info) return null;
  return (
    <article class="surface-article stack stack-loose">
      <header class="stack stack-tight">
        <p class="surface-crumbs surface-back">
          <a href={linkTo('surface')}>All tools</a>
        </p>
        <h2 class="surface-title surface-server">
          <bdi>{visibleText(info.name)}</bdi> <span class="faint">{visibleText(info.version)}</span>
        </h2>
        <p class="soft">
          Lists its tools in the {info.form} form
          {info.profile === 'none' ? '' : ` for the profile ${info.profile}`}. Select a tool to see what a
          model reads.
        </p>
      </header>
      <Figures info={info} />
      <section class="panel">
        <div class="panel-head">
          <h3>Instructions</h3>
          {info.instructions !== undefined && (
            <CopyButton label="Copy instructions" value={info.instructions} />
          )}
        </div>
        <div class="panel-body">
          {info.instructions === undefined ? (
            <p class="soft">
              The server sends none. Clients put instructions before the tools, so they are the place for
              rules that concern all of them.
            </p>
          ) : (
            <Text value={info.instructions} clamp={12} />
          )}
        </div>
      </section>
      {nodes && findings.value && <Severe nodes={nodes} findings={findings.value.byNode} />}
      {info.forms
        .filter(({ problem }) => problem !== undefined)
        .map(({ form, problem = '' }) => (
          <Notice key={form} kind="note">
            No {form} form: <Text value={problem} />
          </Notice>
        ))}
    </article>
  );
}

function Figures({ info }: { readonly info: ServerInfo }) {
  const { counts } = info;
  const total = tokens.value?.total;
  const figures: readonly {
    readonly label: string;
    readonly value: number;
    readonly link?: string;
  }[] = [
    { label: 'tools', value: counts.tools },
    { label: 'actions', value: counts.actions },
    ...(total === undefined ? [] : [{ label: 'tokens', value: total, link: linkTo('cost') }]),
    { label: 'prompts', value: counts.prompts, link: linkTo('items') },
    { label: 'resources', value: counts.resources + counts.templates, link: linkTo('items') },
    { label: 'scopes', value: info.scopes.length, link: linkTo('views') },
  ];
  return (
    <dl class="surface-figures">
      {figures.map(({ label, value, link }) => (
        <div key={label}>
          <dt>{link === undefined ? label : <a href={link}>{label}</a>}</dt>
          <dd>{formatCount(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Severe({
  nodes,
  findings: byNode,
}: {
  readonly nodes: readonly TreeNode[];
  readonly findings: TreeFindings['byNode'];
}) {
  const found = useMemo(() => mostSevere(nodes, byNode, MAX_SHOWN), [nodes, byNode]);
  return (
    <section class="panel">
      <div class="panel-head">
        <h3>Look here first</h3>
      </div>
      {found.length === 0 ? (
        <EmptyState title="No findings about tools and actions" icon="check" />
      ) : (
        <ul class="surface-severe">
          {found.map(({ node, counts }) => (
            <li key={node.id} class="row">
              <a href={linkTo('surface', node.address)}>
                <Name value={node.address ?? node.name} />
              </a>
              <span class="grow truncate soft small">
                {node.description !== undefined && <bdi>{visibleText(node.description)}</bdi>}
              </span>
              <FindingBadges counts={counts} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Shown if the server has no item at this address. */
export function UnknownItem({ address }: { readonly address: string }) {
  return (
    <EmptyState title="There is no such tool or action" icon="surface">
      <p>
        The server has nothing at <Name value={address} />. It may have been renamed or removed.
      </p>
      <LinkButton href={linkTo('surface')} isSmall>
        {`All ${countOf(server.value?.counts.tools ?? 0, 'tool')}`}
      </LinkButton>
    </EmptyState>
  );
}
