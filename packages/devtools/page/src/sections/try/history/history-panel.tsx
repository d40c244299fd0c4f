import { useState } from 'preact/hooks';
import { tryWith } from '../../../draft.js';
import type { Outcome } from '../../../mcp/call.js';
import { perspective } from '../../../perspective.js';
import { Badge } from '../../../ui/badge.js';
import { Button, classOf } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { Notice } from '../../../ui/feedback.js';
import { countOf, formatMs } from '../../../ui/figures.js';
import { writeJson } from '../../../ui/json/exact-number.js';
import { JsonView } from '../../../ui/json/json-view.js';
import { Name, Text } from '../../../ui/text.js';
import { CopyAs } from '../copy/copy-as.js';
import { OutcomeView } from '../run/call-panel.js';
import { options } from '../run/runs.js';
import { compare } from './compare.js';
import type { Difference } from './compare.js';
import { clearHistory, history } from './history.js';
import type { HistoryEntry } from './history.js';

const kinds = { ok: 'ok', error: 'error', failed: 'error', cancelled: 'plain' } as const;

/** Lists the calls of this tab, to run, edit or compare them. */
export function HistoryPanel({ onReplay }: { readonly onReplay: (entry: HistoryEntry) => void }) {
  const [compared, setCompared] = useState<readonly number[]>([]);
  const [opened, setOpened] = useState<HistoryEntry>();
  const entries = history.value;
  const pair = compared
    .map((id) => entries.find((entry) => entry.id === id))
    .filter((entry) => entry !== undefined);
  const [one, other] = pair.toSorted((a, b) => a.id - b.id);
  const isEmpty = entries.length === 0;
  return (
    <section class={classOf('panel', isEmpty && 'try-no-history')} aria-labelledby="try-history">
      <div class="panel-head">
        <h2 id="try-history">History</h2>
        <span class="soft small">{isEmpty ? 'No calls yet' : 'of this tab'}</span>
        {!isEmpty && (
          <Button isSmall kind="quiet" icon="trash" onClick={clearHistory}>
            Clear
          </Button>
        )}
      </div>
      {!isEmpty && (
        <ol class="try-history">
          {entries.map((entry) => (
            <Entry
              key={entry.id}
              entry={entry}
              isCompared={compared.includes(entry.id)}
              onCompare={() =>
                setCompared(
                  compared.includes(entry.id)
                    ? compared.filter((id) => id !== entry.id)
                    : [...compared.slice(-1), entry.id],
                )
              }
              onReplay={() => onReplay(entry)}
              onShow={() => setOpened(entry)}
            />
          ))}
        </ol>
      )}
      {opened && <KeptResult entry={opened} onClose={() => setOpened(undefined)} />}
      {one && other && <Comparison one={one} other={other} onClose={() => setCompared([])} />}
    </section>
  );
}

interface EntryProps {
  readonly entry: HistoryEntry;
  readonly isCompared: boolean;
  readonly onCompare: () => void;
  readonly onReplay: () => void;
  readonly onShow: () => void;
}

function Entry({ entry, isCompared, onCompare, onReplay, onShow }: EntryProps) {
  const { call, status, ms, at, summary } = entry;
  const edit = (): void => {
    const { form, profile, caller, era } = call;
    perspective.value = { ...perspective.value, form, profile, caller };
    options.value = { ...options.value, era };
    tryWith(call.address, call.input);
  };
  const input = JSON.stringify(call.input);
  return (
    <li class="try-history-entry">
      <div class="row">
        <Badge kind={kinds[status]}>{status}</Badge>
        <button
          type="button"
          class="try-link truncate grow"
          aria-label={`Show the result of ${call.address}`}
          onClick={onShow}
        >
          <Name value={call.address} />
        </button>
        {ms !== undefined && <span class="soft small number">{formatMs(ms)}</span>}
      </div>
      <div class="truncate soft small">
        <Name value={input === '{}' ? 'no arguments' : input.slice(0, 300)} />
      </div>
      {summary !== '' && (
        <div class="small try-summary">
          <Text value={summary.slice(0, 300)} clamp={2} />
        </div>
      )}
      <div class="row">
        <span class="soft small grow truncate">
          <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleTimeString('en-GB')}</time>
          {isCompared ? ' · Choose a second call' : ` · ${call.era} · ${call.form}`}
        </span>
      </div>
      <div class="row">
        <Button
          isSmall
          kind="quiet"
          icon="reload"
          onClick={onReplay}
          aria-label={`Run again: ${call.address}`}
        >
          Run again
        </Button>
        <Button isSmall kind="quiet" onClick={edit} aria-label={`Edit ${call.address} again`}>
          Edit
        </Button>
        <Button
          isSmall
          kind="quiet"
          aria-pressed={isCompared}
          aria-label={`Compare ${call.address} with another call`}
          onClick={onCompare}
        >
          Compare
        </Button>
      </div>
      <details class="try-details">
        <summary>Copy as</summary>
        <CopyAs call={call} />
      </details>
    </li>
  );
}

function KeptResult({ entry, onClose }: { readonly entry: HistoryEntry; readonly onClose: () => void }) {
  const outcome = outcomeOf(entry);
  return (
    <Dialog title="Result of an earlier call" onClose={onClose} class="try-compare">
      <div class="stack">
        <EntryHeading entry={entry} />
        <JsonView value={entry.call.input} label="arguments" openDepth={1} />
        {outcome ? <OutcomeView outcome={outcome} /> : <Notice kind="note">{NOT_KEPT}</Notice>}
      </div>
    </Dialog>
  );
}

function EntryHeading({ entry: { call, at, status, ms } }: { readonly entry: HistoryEntry }) {
  return (
    <h3 class="try-subheading">
      <Name value={call.address} />, {new Date(at).toLocaleTimeString('en-GB')}, {status}
      {ms !== undefined && `, ${formatMs(ms)}`}
    </h3>
  );
}

const NOT_KEPT = 'The result was too large for the history.';

/** Returns the outcome of a call; `undefined` if its result was too large for the history. */
function outcomeOf({ call: { result, failure }, status }: HistoryEntry): Outcome | undefined {
  if (result) return { kind: 'result', result };
  if (failure !== undefined) return { kind: 'failure', message: failure };
  return status === 'cancelled' ? { kind: 'cancelled' } : undefined;
}

/** Explains why a call has no result to compare. */
function whyNoResult({ call: { failure }, status }: HistoryEntry): string {
  if (status === 'cancelled') return 'Cancelled: no result';
  return failure === undefined ? NOT_KEPT : `Failed: ${failure}`;
}

interface ComparisonProps {
  readonly one: HistoryEntry;
  readonly other: HistoryEntry;
  readonly onClose: () => void;
}

function Comparison({ one, other, onClose }: ComparisonProps) {
  const hasBoth = one.call.result !== undefined && other.call.result !== undefined;
  return (
    <Dialog title="Compare two calls" onClose={onClose} class="try-compare">
      <div class="stack">
        <Differences title="Arguments" differences={compare(one.call.input, other.call.input)} />
        {hasBoth ? (
          <Differences title="Result" differences={compare(one.call.result, other.call.result)} />
        ) : (
          <h3 class="try-subheading">Result: not compared</h3>
        )}
        <div class="try-columns">
          {[one, other].map((entry) => {
            const { input, result } = entry.call;
            return (
              <div key={entry.id} class="stack">
                <EntryHeading entry={entry} />
                {!result && (
                  <Notice kind="note">
                    <Text value={whyNoResult(entry)} clamp={6} />
                  </Notice>
                )}
                <JsonView
                  value={{ arguments: input, ...(result ? { result } : {}) }}
                  label={`call ${entry.id}`}
                />
              </div>
            );
          })}
        </div>
      </div>
    </Dialog>
  );
}

function Differences({
  title,
  differences,
}: {
  readonly title: string;
  readonly differences: readonly Difference[];
}) {
  return (
    <div class="stack stack-tight">
      <h3 class="try-subheading">
        {title}: {differences.length === 0 ? 'equal' : countOf(differences.length, 'difference')}
      </h3>
      {differences.length > 0 && (
        <div class="table-scroll">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Place</th>
                <th scope="col">Earlier</th>
                <th scope="col">Later</th>
              </tr>
            </thead>
            <tbody>
              {differences.slice(0, 50).map(({ path, before, after }) => (
                <tr key={JSON.stringify(path)}>
                  <th scope="row">
                    <Name value={path.join('.') || 'whole'} />
                  </th>
                  <td>
                    <Name value={shown(before)} />
                  </td>
                  <td>
                    <Name value={shown(after)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : writeJson(value).slice(0, 300);
}
