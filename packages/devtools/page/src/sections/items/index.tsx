import { useMemo } from 'preact/hooks';
import '../try/try.css';
import './items.css';
import { api } from '../../api/client.js';
import { useResource } from '../../api/resource.js';
import { linkTo, route } from '../../routes.js';
import { LinkButton } from '../../ui/button.js';
import { EmptyState, Loaded } from '../../ui/feedback.js';
import { Page } from '../../ui/page.js';
import type { Others } from '../../../../src/page-api.js';
import { Questions } from '../try/questions/questions.js';
import { Detail } from './detail.js';
import { entriesOf, entryOf, restOf } from './entries.js';
import { ListPane } from './list-pane.js';

/** Section for prompts, resources and resource templates. */
export function Items() {
  const others = useResource((signal) => api.others(signal), []);
  const { rest } = route.value;
  return (
    <Page title="Prompts and resources">
      <Loaded resource={others}>{(value) => <Contents others={value} rest={rest} />}</Loaded>
      <Questions />
    </Page>
  );
}

function Contents({ others, rest }: { readonly others: Others; readonly rest: string }) {
  const entries = useMemo(() => entriesOf(others), [others]);
  const entry = rest === '' ? undefined : entryOf(entries, rest);
  if (entries.length === 0 && !entry)
    return (
      <EmptyState title="This server has no prompts and resources" icon="items">
        <p>They appear here as soon as the server has them.</p>
      </EmptyState>
    );
  return (
    <div class="items" data-shows={rest === '' ? 'list' : 'item'}>
      <ListPane entries={entries} chosen={rest} />
      <div class="items-detail">
        {entry ? (
          <Detail key={restOf(entry)} entry={entry} />
        ) : (
          <EmptyState
            title={rest === '' ? 'Choose a prompt or a resource' : 'There is no such item'}
            icon="items"
          >
            {rest !== '' && (
              <LinkButton isSmall icon="back" href={linkTo('items')}>
                All prompts and resources
              </LinkButton>
            )}
          </EmptyState>
        )}
      </div>
    </div>
  );
}
