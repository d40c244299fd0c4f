import { useRef, useState } from 'preact/hooks';
import type { LiveCall } from '../../../../src/page-events.js';
import { server } from '../../api/stores.js';
import { linkTo } from '../../routes.js';
import { Button, IconButton, LinkButton } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { EmptyState } from '../../ui/feedback.js';
import { countOf } from '../../ui/figures.js';
import { Name } from '../../ui/text.js';
import { CallDetails } from './call-details.js';
import { CallList } from './call-list.js';
import { live } from './store/feed.js';
import type { LiveCounts } from './store/live-store.js';
import { describeShown } from './figures.js';
import { createCallFilter, nameOf } from './filters.js';
import type { LiveFilters } from './filters.js';
import { useIsWide } from './use-is-wide.js';

/** The calls at the moment at which the list stopped updating. */
interface Held {
  readonly calls: readonly LiveCall[];
  readonly counts: LiveCounts;
  /** `scroll` ends when the user scrolls back to the top. */
  readonly by: 'pause' | 'scroll';
}

/** Shows the list of calls, with the details of the selected one beside it. */
export function CallsPanel({ filters }: { readonly filters: LiveFilters }) {
  const [held, setHeld] = useState<Held>();
  const [selected, setSelected] = useState<LiveCall>();
  const [isOpen, setOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const isWide = useIsWide();
  void live.version.value;
  const counts = live.counts.value;
  const filter = createCallFilter(filters);
  const calls = held ? (filter ? held.calls.filter(filter) : held.calls) : live.calls.newest(filter);
  const hold = (by: Held['by']) => setHeld({ calls: live.calls.newest(), counts, by });
  const onAway = (isAway: boolean) => {
    if (isAway && !held) hold('scroll');
    else if (!isAway && held?.by === 'scroll') setHeld(undefined);
  };
  const resume = () => {
    setHeld(undefined);
    list.current?.querySelector('[role=listbox]')?.scrollTo({ top: 0 });
  };
  const select = (call: LiveCall) => {
    setSelected(call);
    setOpen(true);
  };
  if (counts.total === 0) return <NoCalls />;
  const missed = held ? counts.total - held.counts.total : 0;
  return (
    <div class="stack">
      <div class="row live-status">
        {held?.by === 'pause' ? (
          <Button isSmall icon="try" onClick={resume}>
            Resume
          </Button>
        ) : (
          <Button isSmall icon="pause" onClick={() => hold('pause')}>
            Pause
          </Button>
        )}
        <span class="small soft grow live-shown" data-testid="shown">
          {describeShown(calls.length, held?.counts ?? counts, live.statistics.value?.since)}
        </span>
        {held && (
          <span class="row small">
            <span data-testid="missed">
              {held.by === 'pause' ? 'Paused' : 'Held while you scroll'}: {countOf(missed, 'new call')}
            </span>
            {held.by === 'scroll' && (
              <Button isSmall icon="up" onClick={resume}>
                Show newest
              </Button>
            )}
          </span>
        )}
        <Button
          isSmall
          kind="quiet"
          icon="trash"
          onClick={() => {
            live.clear();
            setHeld(undefined);
            setSelected(undefined);
          }}
        >
          Clear
        </Button>
      </div>
      <div class={isWide && isOpen && selected ? 'live-split' : undefined}>
        <div ref={list} class="panel live-table">
          <div class="live-head" aria-hidden="true">
            <span>Time</span>
            <span>Tool</span>
            <span>Caller</span>
            <span>Client</span>
            <span class="number">Duration</span>
            <span>Outcome</span>
            <span class="number">≈ Tokens</span>
          </div>
          {calls.length === 0 ? (
            <EmptyState
              icon="filter"
              title={filter ? 'No call matches the filters' : 'No calls since you cleared the list'}
            />
          ) : (
            <CallList calls={calls} selected={selected} onSelect={select} onAway={onAway} />
          )}
        </div>
        {selected && isOpen && isWide && (
          <aside class="panel live-aside" aria-label={`Call of ${nameOf(selected)}`}>
            <div class="panel-head">
              <h2 class="truncate">
                <Name value={nameOf(selected)} />
              </h2>
              <IconButton isSmall icon="close" label="Close details" onClick={() => setOpen(false)} />
            </div>
            <div class="panel-body">
              <CallDetails call={selected} />
            </div>
          </aside>
        )}
        {selected && isOpen && !isWide && (
          <Dialog
            title={<Name value={nameOf(selected)} />}
            class="dialog-sheet"
            onClose={() => setOpen(false)}
          >
            <CallDetails call={selected} />
          </Dialog>
        )}
      </div>
    </div>
  );
}

function NoCalls() {
  const info = server.value;
  const endpoint = `${location.origin}/mcp/${info?.form ?? 'grouped'}/${info?.profile ?? 'none'}`;
  return (
    <div class="panel">
      <EmptyState icon="live" title="No calls yet">
        {info?.canCall !== true ? (
          <p>A saved list has no server behind it, so nothing can be called.</p>
        ) : (
          <>
            <p>
              {info.isForwarded === true
                ? 'Only calls through this page appear here, because other clients connect to the server directly. Make a call in Try'
                : 'Calls of every client of this server appear here as they arrive. Connect a client to the server, or make a call in Try'}
              , which uses the page’s own endpoint <span class="mono">{endpoint}</span>.
            </p>
            <LinkButton kind="primary" icon="try" href={linkTo('try')}>
              Make a call in Try
            </LinkButton>
          </>
        )}
      </EmptyState>
    </div>
  );
}
