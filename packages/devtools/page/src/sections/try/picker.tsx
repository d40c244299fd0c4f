import { useMemo, useState } from 'preact/hooks';
import type { TreeNode } from '../../../../src/page-api.js';
import { tree } from '../../api/stores.js';
import { linkTo } from '../../routes.js';
import { Hints } from '../../ui/badge.js';
import { EmptyState } from '../../ui/feedback.js';
import { SearchField } from '../../ui/field.js';
import { countOf } from '../../ui/figures.js';
import { VirtualList } from '../../ui/list/virtual-list.js';
import { Name, visibleText } from '../../ui/text.js';
import { matchNodes } from './match-nodes.js';

/** Lists all actions that can be called, with a search. */
export function Picker() {
  const [query, setQuery] = useState('');
  const nodes = tree.value?.nodes;
  const found = useMemo(() => matchNodes(nodes ?? [], query), [nodes, query]);
  return (
    <div class="try-picker-list">
      <div class="row">
        <div class="grow">
          <SearchField label="Find an action to try" value={query} onChange={setQuery} />
        </div>
        <span class="soft small" role="status">
          {countOf(found.length, 'action')}
        </span>
      </div>
      {found.length === 0 ? (
        <EmptyState title="No action matches" icon="search" />
      ) : (
        <VirtualList
          label="Actions"
          class="panel try-picker-rows"
          count={found.length}
          rowHeight={52}
          keyOf={(index) => found[index]?.address ?? index}
        >
          {(index) => {
            const node = found[index];
            return node && <Row node={node} />;
          }}
        </VirtualList>
      )}
    </div>
  );
}

function Row({ node }: { readonly node: TreeNode }) {
  return (
    <a class="try-row" href={linkTo('try', node.address ?? node.name)}>
      <span class="row">
        <Name value={node.address ?? node.name} class="truncate" />
        <Hints hints={node.hints} />
      </span>
      <span class="soft small truncate">
        <bdi>{visibleText(node.description ?? 'no description')}</bdi>
      </span>
    </a>
  );
}
