import { linkTo, route, sections } from '../routes.js';
import type { SectionKey } from '../routes.js';
import { Dialog } from '../ui/dialog.js';
import { Icon } from '../ui/icons.js';
import { closeOverlay, openOverlay } from './overlay.js';

function Links({ onPick }: { readonly onPick?: () => void }) {
  return (
    <>
      {sections.map(({ key, title }) => (
        <a
          key={key}
          class="nav-link"
          href={linkTo(key)}
          aria-current={key === route.value.section ? 'page' : undefined}
          onClick={onPick}
        >
          <Icon name={key} />
          {title}
        </a>
      ))}
    </>
  );
}

/** The navigation for wide windows. */
export function Navigation() {
  return (
    <nav class="frame-nav" aria-label="Sections">
      <Links />
      <p class="nav-foot">
        <kbd>/</kbd> find <kbd>?</kbd> help
      </p>
    </nav>
  );
}

const first: ReadonlySet<SectionKey> = new Set(['surface', 'try', 'cost', 'live'] as const);

/** The navigation for phones: four sections, and a sheet with all of them. */
export function BottomNavigation() {
  const { section } = route.value;
  const isOpen = openOverlay.value === 'sections';
  return (
    <>
      <nav class="bottom-nav" aria-label="Sections on small screens">
        {sections
          .filter(({ key }) => first.has(key))
          .map(({ key, title }) => (
            <a
              key={key}
              class="bottom-link"
              href={linkTo(key)}
              aria-current={key === section ? 'page' : undefined}
            >
              <Icon name={key} size={18} />
              {title}
            </a>
          ))}
        <button
          type="button"
          class="bottom-link"
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          aria-current={first.has(section) ? undefined : 'page'}
          onClick={() => (openOverlay.value = 'sections')}
        >
          <Icon name="menu" size={18} />
          More
        </button>
      </nav>
      {isOpen && (
        <Dialog title="Sections" class="dialog-sheet" onClose={closeOverlay}>
          <nav aria-label="All sections">
            <Links onPick={closeOverlay} />
          </nav>
        </Dialog>
      )}
    </>
  );
}
