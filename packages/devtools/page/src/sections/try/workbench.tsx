import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ItemDetail, Listing } from '../../../../src/page-api.js';
import { api } from '../../api/client.js';
import { connection } from '../../api/events.js';
import { useResource } from '../../api/resource.js';
import { server } from '../../api/stores.js';
import { draft as preparedCall } from '../../draft.js';
import { questions } from '../../mcp/questions.js';
import { linkTo } from '../../routes.js';
import { Badge, Hints, Scopes } from '../../ui/badge.js';
import { Button, LinkButton } from '../../ui/button.js';
import { ErrorState, Notice, Spinner } from '../../ui/feedback.js';
import { Name, Text } from '../../ui/text.js';
import { keyOf } from './controls/control.js';
import { focusInvalid, focusPath } from './controls/focus-field.js';
import { SchemaForm } from './controls/schema-form.js';
import { CopyAs } from './copy/copy-as.js';
import { ConfirmDestructive, needsConfirmation } from './confirm-destructive.js';
import { editors, setEditor } from './editors.js';
import { isMissing } from './form/check-draft.js';
import type { Path, Problem } from './form/check-draft.js';
import { createEditor, readEditor } from './form/editor.js';
import type { Json, JsonObject } from './form/json.js';
import { isRecord } from './form/json.js';
import { readSchema } from './form/read-schema.js';
import { reportOf } from './result/error-report.js';
import { CallPanel } from './run/call-panel.js';
import { RunOptions } from './run/run-options.js';
import { chosenForm, copyOf, isRunning, options, runs, startRun } from './run/runs.js';
import type { Run } from './run/runs.js';

/** Loaded actions, so that their forms stay visible while the server is unreachable. */
const known = new Map<string, ItemDetail>();

/** Shows the form of one action, and the outcome of its last run. */
export function Workbench({ address }: { readonly address: string }) {
  const item = useResource((signal) => api.item(address, signal), [address]);
  if (item.value) known.set(address, item.value);
  const kept = connection.value === 'lost' ? known.get(address) : undefined;
  const value = item.value ?? kept;
  // A lost connection is already reported by the banner.
  const error = kept ? undefined : item.error;
  if (!value && !error) return <Spinner label="Loading the action" />;
  return (
    <>
      {error && (
        <>
          <ErrorState error={error} onRetry={item.reload} />
          <div>
            <LinkButton href={linkTo('try')}>List of all actions</LinkButton>
          </div>
        </>
      )}
      {value &&
        (value.actions.length > 0 ? (
          <ChooseAction item={value} />
        ) : (
          <Bench key={address} item={value} isGone={error !== undefined} />
        ))}
    </>
  );
}

function ChooseAction({ item }: { readonly item: ItemDetail }) {
  return (
    <div class="stack">
      <h2>
        <Name value={item.name} />
      </h2>
      <p>This tool has several actions. Choose one:</p>
      <ul class="try-actions">
        {item.actions.map((address) => (
          <li key={address}>
            <a href={linkTo('try', address)}>
              <Name value={address} />
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface BenchProps {
  readonly item: ItemDetail;
  /** Whether the action could not be reloaded, so that this version may be outdated. */
  readonly isGone: boolean;
}

function Bench({ item, isGone }: BenchProps) {
  const chosen = chosenForm();
  const listing = useResource(
    (signal) => api.listing(item.address, chosen.form, chosen.profile, signal),
    [item.address, chosen.form, chosen.profile],
  );
  const field = useMemo(() => readSchema(item.inputSchema), [item]);
  const prepared = preparedCall.value;
  useEffect(() => {
    if (prepared?.address !== item.address) return;
    setEditor(item.address, createEditor(field, prepared.arguments as Json));
    preparedCall.value = undefined;
  }, [prepared, field]);
  const editor = editors.value.get(item.address) ?? createEditor(field);
  const [isTried, setTried] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const { value, problems } = readEditor(field, editor);
  // Invalid JSON is reported by the text field itself.
  const isBroken = editor.mode === 'json' && value === undefined;
  const input: JsonObject = isRecord(value) ? value : {};
  const run = runs.value.get(item.address);
  const isBusy = isRunning(run);
  const form = useRef<HTMLFormElement>(null);
  const canCall = server.value?.canCall === true;
  const isLost = connection.value === 'lost';
  const listed = listing.value && 'call' in listing.value ? listing.value : undefined;

  const canRun = canCall && listed !== undefined && !isBusy && !isLost && !isGone;

  const send = (): void => {
    if (!listed || isLost || isGone) return;
    setTried(false);
    startRun({ item, listing: listed, input });
  };
  const confirm = (): void => {
    if (needsConfirmation(item)) setConfirming(true);
    else send();
  };
  const submit = (): void => {
    if (!canRun) return;
    if (problems.length === 0) return confirm();
    setTried(true);
    // Wait for the next frame, which marks the invalid fields.
    requestAnimationFrame(() => form.current && focusInvalid(form.current));
  };
  useCancelByEscape(run);
  return (
    <>
      <BenchHead item={item} />
      <RunOptions item={item} />
      <div class="try-bench">
        <form
          ref={form}
          class="panel try-form"
          aria-label="Arguments"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
          }}
        >
          <div class="panel-body stack">
            <SchemaForm
              field={field}
              editor={editor}
              onChange={(next) => setEditor(item.address, next)}
              problems={[
                ...(isTried ? problems : problems.filter((problem) => !isMissing(problem))),
                ...serverProblems(run, input),
              ]}
              label="Arguments"
            />
            {!canCall && (
              <Notice kind="info">
                <p>
                  A saved list of tools has no server behind it, so nothing can be called. The form still
                  checks the arguments, and the call can be copied as JSON.
                </p>
              </Notice>
            )}
            <ListingProblem listing={listing.value} />
            {listing.error !== undefined && !isLost && !isGone && (
              <ErrorState error={listing.error} onRetry={listing.reload} />
            )}
            {isTried && problems.length > 0 && !isBroken && (
              <Attention
                problems={problems}
                onFocus={
                  editor.mode === 'form' ? (path) => form.current && focusPath(form.current, path) : undefined
                }
                onSend={editor.mode === 'form' || isRecord(value) ? confirm : undefined}
              />
            )}
            <div class="row try-run">
              <Button
                kind="primary"
                type="submit"
                icon="try"
                aria-disabled={!canRun}
                title={
                  isLost ? 'The server does not answer' : isBusy ? 'The last call still runs' : undefined
                }
              >
                {options.value.era === 'both' ? 'Run in both eras' : 'Run'}
              </Button>
              {isBusy && (
                <Button icon="stop" onClick={() => cancelRun(run)}>
                  Cancel
                </Button>
              )}
              <Button
                kind="quiet"
                onClick={() => {
                  setTried(false);
                  setEditor(item.address, createEditor(field));
                }}
              >
                Reset
              </Button>
              <span class="soft small try-shortcut">{isBusy ? 'Esc cancels' : 'Ctrl+Enter runs'}</span>
            </div>
            {listed && (
              <details class="try-details">
                <summary>Copy as</summary>
                <CopyAs
                  call={copyOf({
                    address: item.address,
                    listing: listed,
                    input,
                    era: options.value.era === '2025' ? '2025' : '2026',
                    asTask: options.value.asTask,
                  })}
                />
              </details>
            )}
          </div>
        </form>
        <Outcomes run={run} />
      </div>
      {isConfirming && (
        <ConfirmDestructive
          item={item}
          onCancel={() => setConfirming(false)}
          onConfirm={() => {
            setConfirming(false);
            send();
          }}
        />
      )}
    </>
  );
}

/** Maximum number of fields in the notice. */
const MAX_LISTED = 12;

interface AttentionProps {
  readonly problems: readonly Problem[];
  /** Missing in JSON mode, where the editor lists the problems itself. */
  readonly onFocus: ((path: Path) => void) | undefined;
  readonly onSend: (() => void) | undefined;
}

/** Explains why the call was not sent, with links to the fields. */
function Attention({ problems, onFocus, onSend }: AttentionProps) {
  return (
    <Notice kind="warning" role="alert">
      <p>
        {problems.length === 1 ? 'A field needs' : `${problems.length} fields need`} your attention. The
        server has not been called.
      </p>
      {onFocus && (
        <ul class="try-problems">
          {problems.slice(0, MAX_LISTED).map(({ path, message }) => (
            <li key={keyOf(path) + message}>
              <button type="button" class="try-link" onClick={() => onFocus(path)}>
                <Name value={path.join('.') || 'arguments'} />
              </button>{' '}
              {message}
            </li>
          ))}
        </ul>
      )}
      {onSend && (
        <Button isSmall onClick={onSend}>
          Send it anyway
        </Button>
      )}
    </Notice>
  );
}

function BenchHead({ item }: { readonly item: ItemDetail }) {
  return (
    <div class="stack stack-tight try-bench-head">
      <div class="row">
        <h2>
          <Name value={item.address} />
        </h2>
        <Hints hints={item.hints} />
        {item.taskSupport !== undefined && <Badge>task {item.taskSupport}</Badge>}
        <Scopes scopes={item.scopes} />
        <LinkButton isSmall kind="quiet" icon="surface" href={linkTo('surface', item.address)}>
          Surface
        </LinkButton>
        <LinkButton isSmall kind="quiet" icon="back" href={linkTo('try')}>
          Other actions
        </LinkButton>
      </div>
      {item.description !== undefined && <Text value={item.description} clamp={3} class="soft" />}
    </div>
  );
}

function ListingProblem({ listing }: { readonly listing: Listing | undefined }) {
  if (!listing || !('problem' in listing)) return null;
  return (
    <Notice kind="warning">
      <Text value={listing.problem} />
    </Notice>
  );
}

function Outcomes({ run }: { readonly run: Run | undefined }) {
  const place = useRef<HTMLDivElement>(null);
  const isBusy = isRunning(run);
  const seen = useRef({ id: run?.id, isBusy });
  useEffect(() => {
    const { id, isBusy: wasBusy } = seen.current;
    seen.current = { id: run?.id, isBusy };
    const { top = 0 } = place.current?.getBoundingClientRect() ?? {};
    const isLow = top > innerHeight / 2;
    // On narrow windows the result is below the form, so scroll to it, and again when it has its whole height.
    if (run?.id === id ? wasBusy && !isBusy && isLow && top < innerHeight : top < 0 || isLow)
      place.current?.scrollIntoView({ block: 'start' });
  }, [run?.id, isBusy]);
  if (!run)
    return (
      <div class="try-outcomes" ref={place}>
        <div class="try-nothing">
          <p class="soft">The result appears here.</p>
        </div>
      </div>
    );
  const last = run.calls[0];
  return (
    <div class="try-outcomes" ref={place}>
      <div class={run.calls.length > 1 ? 'try-columns' : undefined}>
        {run.calls.map(({ call }) => (
          <CallPanel key={call.trace} call={call} title="Result" />
        ))}
      </div>
      {last && last.call.outcome.value !== undefined && (
        <details class="try-details">
          <summary>Copy this call as</summary>
          <CopyAs call={withOutcome(last)} />
        </details>
      )}
    </div>
  );
}

function withOutcome({ call, copied }: Run['calls'][number]) {
  const outcome = call.outcome.value;
  return {
    ...copied,
    answers: call.answers,
    ...(outcome?.kind === 'result' ? { result: outcome.result } : {}),
    ...(outcome?.kind === 'failure' ? { failure: outcome.message } : {}),
  };
}

/** Returns the problems reported by the server, unless the arguments have changed since. */
function serverProblems(run: Run | undefined, input: JsonObject): readonly Problem[] {
  if (!run || JSON.stringify(run.input) !== JSON.stringify(input)) return [];
  const outcome = run.calls[0]?.call.outcome.value;
  if (outcome?.kind !== 'result') return [];
  const problems = reportOf(outcome.result)?.problems ?? [];
  // The call tools of the search form nest the action's arguments in the field `arguments`, so strip it from the path.
  return problems.map(({ path, message }) => ({
    path: path[0] === 'arguments' && !('arguments' in input) ? path.slice(1) : path,
    message,
  }));
}

function cancelRun(run: Run | undefined): void {
  for (const { call } of run?.calls ?? []) call.cancel();
}

function useCancelByEscape(run: Run | undefined): void {
  useEffect(() => {
    const cancel = (event: KeyboardEvent): void => {
      // An open dialog handles Esc itself.
      if (event.key !== 'Escape' || event.defaultPrevented || questions.value.length > 0) return;
      if (document.querySelector('dialog[open]')) return;
      cancelRun(run);
    };
    addEventListener('keydown', cancel);
    return () => removeEventListener('keydown', cancel);
  }, [run]);
}
