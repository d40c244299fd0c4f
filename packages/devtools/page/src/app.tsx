import { lazy, Suspense } from 'preact/compat';
import type { FunctionComponent } from 'preact';
import { connection } from './api/events.js';
import { isRefused, server, storeError, refresh } from './api/stores.js';
import { Banner } from './frame/banner.js';
import { ErrorBoundary } from './frame/error-boundary.js';
import { Header } from './frame/header.js';
import { KeyboardHelp } from './frame/keyboard-help.js';
import { BottomNavigation, Navigation } from './frame/navigation.js';
import { openOverlay, useShortcuts } from './frame/overlay.js';
import { Palette } from './frame/palette.js';
import { RefusedPage } from './frame/refused-page.js';
import { route } from './routes.js';
import { ErrorState, Spinner } from './ui/feedback.js';
import { Toasts } from './ui/toast.js';

/** Loads a section when it is first shown. */
const load = (section: () => Promise<FunctionComponent>) => lazy(async () => ({ default: await section() }));

const pages = {
  surface: load(async () => (await import('./sections/surface/index.js')).Surface),
  cost: load(async () => (await import('./sections/cost/index.js')).Cost),
  try: load(async () => (await import('./sections/try/index.js')).Try),
  views: load(async () => (await import('./sections/views/index.js')).Views),
  live: load(async () => (await import('./sections/live/index.js')).Live),
  search: load(async () => (await import('./sections/search/index.js')).Search),
  code: load(async () => (await import('./sections/code/index.js')).Code),
  diff: load(async () => (await import('./sections/diff/index.js')).Diff),
  items: load(async () => (await import('./sections/items/index.js')).Items),
};

export function App() {
  useShortcuts();
  if (isRefused.value) return <RefusedPage />;
  const { section } = route.value;
  const Section = pages[section];
  const overlay = openOverlay.value;
  return (
    <>
      <a
        class="skip-link"
        href="#main"
        onClick={(event) => {
          // The fragment is the route, so the link must move the focus itself.
          event.preventDefault();
          document.getElementById('main')?.focus();
        }}
      >
        Skip to content
      </a>
      <div class="frame">
        <Header />
        <Navigation />
        <Banner />
        <main id="main" class="frame-main" tabIndex={-1}>
          <ErrorBoundary key={section}>
            <Suspense fallback={<Waiting />}>{server.value ? <Section /> : <Waiting />}</Suspense>
          </ErrorBoundary>
        </main>
        <BottomNavigation />
      </div>
      {overlay === 'palette' && <Palette />}
      {overlay === 'keyboard' && <KeyboardHelp />}
      <Toasts />
    </>
  );
}

function Waiting() {
  const error = storeError.value;
  return (
    <div class="page">
      {error && !server.value && connection.value !== 'lost' ? (
        <ErrorState error={error} onRetry={() => void refresh()} />
      ) : (
        <Spinner />
      )}
    </div>
  );
}
