import { useMemo, useState } from 'preact/hooks';
import { linkTo } from '../../routes.js';
import { Badge } from '../../ui/badge.js';
import { EmptyState } from '../../ui/feedback.js';
import { SearchField } from '../../ui/field.js';
import { countOf } from '../../ui/figures.js';
import { VirtualList } from '../../ui/list/virtual-list.js';
import { Name, visibleText } from '../../ui/text.js';
import { itemOf, matchEntries, restOf } from './entries.js';
import type { Entry } from './entries.js';

/** Lists all prompts, resources and templates, with a search. */
export function ListPane({
  entries,
  chosen,
}: {
  readonly entries: readonly Entry[];
  readonly chosen: string;
}) {
  const [query, setQuery] = useState('');
  const found = useMemo(() => matchEntries(entries, query), [entries, query]);
  return (
    <div class="items-list">
      <SearchField label="Find prompts and resources" value={query} onChange={setQuery} />
      <span class="soft small" role="status">
        {countOf(found.length, 'item')}
      </span>
      {found.length === 0 ? (
        <EmptyState title="Nothing matches" icon="items" />
      ) : (
        <VirtualList
          label="Prompts and resources"
          class="panel items-rows"
          count={found.length}
          rowHeight={52}
          keyOf={(index) => {
            const entry = found[index];
            return entry ? restOf(entry) : index;
          }}
        >
          {(index) => {
            const entry = found[index];
            return entry && <Row entry={entry} isChosen={restOf(entry) === chosen} />;
          }}
        </VirtualList>
      )}
    </div>
  );
}

function Row({ entry, isChosen }: { readonly entry: Entry; readonly isChosen: boolean }) {
  const { name, description } = itemOf(entry);
  return (
    <a class="try-row" href={linkTo('items', restOf(entry))} aria-current={isChosen ? 'true' : undefined}>
      <span class="row">
        <Badge kind={entry.kind === 'prompt' ? 'accent' : 'plain'}>{entry.kind}</Badge>
        <Name value={entry.kind === 'prompt' ? name : entry.key} class="truncate" />
      </span>
      <span class="soft small truncate">
        <bdi>{visibleText(description ?? name)}</bdi>
      </span>
    </a>
  );
}
