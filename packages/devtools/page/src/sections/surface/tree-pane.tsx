import { useCallback, useMemo } from 'preact/hooks';
import type { TreeNode } from '../../../../src/page-api.js';
import { findings, storeError, tokens, tree } from '../../api/stores.js';
import { goTo, linkTo } from '../../routes.js';
import { riskOf } from '../../ui/badge.js';
import { Button, classOf } from '../../ui/button.js';
import { EmptyState, ErrorState, Spinner } from '../../ui/feedback.js';
import { SearchField } from '../../ui/field.js';
import { countOf, formatShort } from '../../ui/figures.js';
import { Icon } from '../../ui/icons.js';
import { Tree } from '../../ui/list/tree.js';
import { Name, plainText, visibleText } from '../../ui/text.js';
import { FindingList } from './findings.js';
import { ABOUT, filter, shownAddresses, shownNodes, treeDecisions } from './state.js';
import { isFiltering, noFilter, total, worst } from './tree-filter.js';
import type { TreeFilter } from './tree-filter.js';

const toggles = [
  { key: 'onlyFindings', label: 'Findings' },
  { key: 'onlyDestructive', label: 'Destructive' },
  { key: 'onlyScoped', label: 'Scoped' },
] as const;

/** In larger trees, tools are collapsed at first. */
const MANY = 60;

function change(part: Partial<TreeFilter>): void {
  filter.value = { ...filter.value, ...part };
}

export function TreePane({ address }: { readonly address: string }) {
  const value = tree.value;
  const ofList = findings.value?.ofList ?? [];
  const nodes = shownNodes.value;
  const filtering = isFiltering(filter.value);
  const selected = useMemo(() => nodes.find((node) => node.address === address)?.id, [nodes, address]);
  const count = value?.nodes.length ?? 0;
  const isOpen = useCallback(
    (node: TreeNode) => filtering || node.kind === 'toolset' || (count <= MANY && node.kind !== 'action'),
    [filtering, count],
  );
  return (
    <div class="surface-tree">
      <a class="surface-about" href={linkTo('surface', ABOUT)}>
        Instructions, figures and findings of this server <Icon name="chevron" size={12} />
      </a>
      <div class="surface-filter">
        <SearchField
          label="Filter tools and actions"
          value={filter.value.query}
          onChange={(query) => change({ query })}
        />
        <div class="row" role="group" aria-label="Show only">
          {toggles.map(({ key, label }) => (
            <Button
              key={key}
              isSmall
              aria-pressed={filter.value[key]}
              onClick={() => change({ [key]: !filter.value[key] })}
            >
              {label}
            </Button>
          ))}
          {filtering && (
            <span class="small faint surface-hits" role="status">
              {countOf(shownAddresses.value.length, 'hit')}
            </span>
          )}
        </div>
      </div>
      {ofList.length > 0 && (
        <details
          class={classOf(
            'surface-list-findings',
            ofList.some(({ severity }) => severity !== 'note') && 'surface-list-warning',
          )}
        >
          <summary>
            <Icon name="warning" size={14} /> {countOf(ofList.length, 'finding')} about the whole list
          </summary>
          <FindingList findings={ofList} />
        </details>
      )}
      <div class="surface-nodes">
        {value === undefined ? (
          <div class="page">
            {storeError.value ? <ErrorState error={storeError.value} /> : <Spinner label="Loading tools" />}
          </div>
        ) : nodes.length === 0 ? (
          filtering ? (
            <EmptyState title="Nothing matches" icon="filter">
              <Button isSmall onClick={() => (filter.value = noFilter)}>
                Remove the filters
              </Button>
            </EmptyState>
          ) : (
            <EmptyState title="This server has no tools" icon="surface">
              <p>Register a tool; it appears here as soon as the server has it.</p>
            </EmptyState>
          )
        ) : (
          <Tree
            label="Tools"
            nodes={nodes}
            selected={selected}
            decisions={treeDecisions}
            mode={filtering ? 'hits' : 'all'}
            isOpen={isOpen}
            isSelectable={(node) => node.address !== undefined}
            onSelect={(node) => node.address !== undefined && goTo('surface', node.address)}
            textOf={({ name }) => name}
            render={(node) => <NodeRow node={node} />}
          />
        )}
      </div>
      {nodes.length > 0 && <Legend />}
    </div>
  );
}

/** Explains the marks of the rows. Hidden from screen readers, because the rows have text for them. */
function Legend() {
  return (
    <p class="surface-legend small faint" aria-hidden="true">
      {(['read', 'write', 'destructive'] as const).map((risk) => (
        <span key={risk}>
          <span class={`surface-risk surface-risk-${risk}`} /> {riskNames[risk]}
        </span>
      ))}
      <span>
        <Icon name="lock" size={12} /> needs scopes
      </span>
      <span>number: tokens</span>
    </p>
  );
}

const riskNames = { read: 'read-only', write: 'write', destructive: 'destructive' } as const;
const findingWords = { error: 'errors', warning: 'warnings', note: 'notes' };

function NodeRow({ node }: { readonly node: TreeNode }) {
  const risk = node.kind === 'toolset' || node.kind === 'group' ? undefined : riskOf(node.hints);
  const counts = findings.value?.byNode[node.id];
  const severity = counts && worst(counts);
  const cost = tokens.value?.byNode[node.id];
  return (
    <>
      {risk !== undefined && <span class={`surface-risk surface-risk-${risk}`} title={riskNames[risk]} />}
      <span
        class={classOf('truncate surface-name', `surface-name-${node.kind}`)}
        title={plainText(node.name)}
      >
        {node.kind === 'toolset' ? <bdi>{visibleText(node.name)}</bdi> : <Name value={node.name} />}
      </span>
      {risk !== undefined && risk !== 'read' && <span class="visually-hidden">, {risk}</span>}
      <span class="surface-marks">
        {node.scopes.length > 0 && node.size === 0 && (
          <span class="faint" title={`Needs ${node.scopes.join(', ')}`}>
            <Icon name="lock" size={12} />
            <span class="visually-hidden">, needs scopes</span>
          </span>
        )}
        {counts && severity && (
          <span class={`surface-count surface-count-${severity}`} title={`Findings, the worst: ${severity}`}>
            {total(counts)}
            <span class="visually-hidden"> findings, with {findingWords[severity]}</span>
          </span>
        )}
        {cost !== undefined && (
          <span class="surface-tokens" title={countOf(cost, 'token')}>
            {formatShort(cost)}
            <span class="visually-hidden"> tokens</span>
          </span>
        )}
      </span>
    </>
  );
}
