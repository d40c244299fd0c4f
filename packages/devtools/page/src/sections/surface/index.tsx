import { route } from '../../routes.js';
import { Page } from '../../ui/page.js';
import { Detail } from './detail.js';
import { Overview } from './overview.js';
import { ABOUT } from './state.js';
import { TreePane } from './tree-pane.js';
import './surface.css';

/** Section with the tree of all tools, and details of the selected item. */
export function Surface() {
  const { rest } = route.value;
  const address = rest === ABOUT ? '' : rest;
  return (
    <Page title="Surface" subject={address === '' ? undefined : address} isFill hidesTitle>
      <div class="surface" data-shows={rest === '' ? 'tree' : 'item'}>
        <TreePane address={address} />
        <div class="surface-detail">{address === '' ? <Overview /> : <Detail address={address} />}</div>
      </div>
    </Page>
  );
}
