import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Finding, ItemDetail } from '../../../../src/page-api.js';
import { api } from '../../api/client.js';
import { useResource } from '../../api/resource.js';
import { server } from '../../api/stores.js';
import { goTo, linkTo, route } from '../../routes.js';
import { Hints, Scopes } from '../../ui/badge.js';
import { IconButton, LinkButton } from '../../ui/button.js';
import { CopyButton } from '../../ui/copy.js';
import { ErrorState, Spinner } from '../../ui/feedback.js';
import { countOf } from '../../ui/figures.js';
import { Icon } from '../../ui/icons.js';
import { JsonView } from '../../ui/json/json-view.js';
import { SchemaOutline } from '../../ui/schema/schema-outline.js';
import type { NotesAt } from '../../ui/schema/schema-outline.js';
import { Tabs } from '../../ui/tabs.js';
import { Name, Text, visibleText } from '../../ui/text.js';
import { findingsByPlace } from './finding-places.js';
import { FindingList, FindingNotes } from './findings.js';
import { Listings } from './listings.js';
import { UnknownItem } from './overview.js';
import { shownAddresses } from './state.js';

/** Shows a tool or an action with all its texts, schemas and findings. */
export function Detail({ address }: { readonly address: string }) {
  const item = useResource((signal) => api.item(address, signal), [address]);
  // Loaded separately, because the linter takes seconds for thousands of tools.
  const findings = useResource((signal) => api.itemFindings(address, signal), [address]);
  if (item.error?.status === 404) return <UnknownItem address={address} />;
  return (
    <article class="surface-article stack stack-loose">
      <Head address={address} item={item.value} />
      {item.error && <ErrorState error={item.error} onRetry={item.reload} />}
      {item.value ? (
        <Body item={item.value} findings={findings.value ?? []} />
      ) : (
        item.isLoading && <Spinner />
      )}
    </article>
  );
}

function Head({ address, item }: { readonly address: string; readonly item: ItemDetail | undefined }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    // Keep the focus in the tree while the user moves through it.
    const isInTree = document.activeElement?.getAttribute('role') === 'tree';
    if (!isFirst.current && !isInTree) heading.current?.focus();
    isFirst.current = false;
  }, [address]);
  const slash = address.indexOf('/');
  const tool = slash === -1 ? undefined : address.slice(0, slash);
  return (
    <header class="stack stack-tight">
      <nav class="surface-crumbs" aria-label="Place of the item">
        <a href={linkTo('surface')}>All tools</a>
        {item?.toolsets.map((toolset) => (
          <span key={toolset}>
            <Icon name="chevron" size={10} /> <bdi>{visibleText(toolset)}</bdi>
          </span>
        ))}
        {tool !== undefined && (
          <span>
            <Icon name="chevron" size={10} />{' '}
            <a href={linkTo('surface', tool)}>
              <Name value={tool} />
            </a>
          </span>
        )}
        {item?.group !== undefined && (
          <span>
            <Icon name="chevron" size={10} /> <Name value={item.group} />
          </span>
        )}
      </nav>
      <div class="surface-head">
        <h2 ref={heading} tabIndex={-1} class="surface-title">
          <Name value={item?.name ?? address.slice(slash + 1)} />
        </h2>
        <div class="row">
          <Neighbours address={address} />
          <CopyButton label="Copy address" value={address} hasText />
          {server.value?.canCall === true && (
            <LinkButton href={linkTo('try', address)} kind="primary" isSmall icon="try">
              Try
            </LinkButton>
          )}
        </div>
      </div>
      {item && (
        <div class="row">
          <Hints hints={item.hints} />
          <Scopes scopes={item.scopes} />
        </div>
      )}
    </header>
  );
}

/** Returns the address before or after another one, in the order of the tree. */
function neighbourOf(address: string, step: 1 | -1): string | undefined {
  const at = shownAddresses.value.indexOf(address);
  return at === -1 ? undefined : shownAddresses.value[at + step];
}

function goToNeighbour(event: KeyboardEvent): void {
  const { target, key, defaultPrevented } = event;
  const isTyping = target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  if (isTyping || defaultPrevented || document.querySelector('dialog[open]') !== null) return;
  if (key !== '[' && key !== ']') return;
  const next = neighbourOf(route.value.rest, key === '[' ? -1 : 1);
  if (next !== undefined) goTo('surface', next);
}

/** Buttons for the previous and next item. The keys [ and ] do the same. */
function Neighbours({ address }: { readonly address: string }) {
  const before = neighbourOf(address, -1);
  const next = neighbourOf(address, 1);
  useEffect(() => {
    addEventListener('keydown', goToNeighbour);
    return () => removeEventListener('keydown', goToNeighbour);
  }, []);
  return (
    <>
      <IconButton
        isSmall
        icon="up"
        label="The item before ( [ )"
        disabled={before === undefined}
        onClick={() => goTo('surface', before)}
      />
      <IconButton
        isSmall
        icon="down"
        label="The next item ( ] )"
        disabled={next === undefined}
        onClick={() => goTo('surface', next)}
      />
    </>
  );
}

function Body({ item, findings }: { readonly item: ItemDetail; readonly findings: readonly Finding[] }) {
  const places = useMemo(() => findingsByPlace(findings), [findings]);
  const notesAt: NotesAt = (pointers) => {
    const found = [...new Set(pointers)].flatMap((pointer) => places.get(pointer) ?? []);
    return found.length === 0 ? null : <FindingNotes findings={found} />;
  };
  return (
    <>
      {item.title !== undefined && (
        <p class="strong">
          <Text value={item.title} />
        </p>
      )}
      {item.description === undefined ? (
        <p class="soft">No description.</p>
      ) : (
        <div class="surface-description">
          <Text value={item.description} clamp={8} />
        </div>
      )}
      <Facts item={item} />
      {findings.length > 0 && (
        <section class="panel">
          <div class="panel-head">
            <h3>{countOf(findings.length, 'finding')}</h3>
          </div>
          <FindingList findings={findings} />
        </section>
      )}
      <Listings address={item.address} />
      <section class="stack">
        <h3>As the author wrote it</h3>
        <Tabs
          label="Schemas"
          tabs={[
            {
              key: 'input',
              label: 'Input',
              render: () => <SchemaOutline schema={item.inputSchema} base="/inputSchema" notesAt={notesAt} />,
            },
            {
              key: 'input-json',
              label: 'Input as JSON',
              render: () => <JsonView value={item.inputSchema} label="input schema" openDepth={3} />,
            },
            ...(item.outputSchema === undefined
              ? []
              : [
                  {
                    key: 'output',
                    label: 'Output',
                    render: () => (
                      <SchemaOutline schema={item.outputSchema} base="/outputSchema" notesAt={notesAt} />
                    ),
                  },
                  {
                    key: 'output-json',
                    label: 'Output as JSON',
                    render: () => <JsonView value={item.outputSchema} label="output schema" openDepth={3} />,
                  },
                ]),
          ]}
        />
      </section>
    </>
  );
}

const taskWords = { forbidden: 'never', optional: 'if the client asks', required: 'always' };

function Facts({ item }: { readonly item: ItemDetail }) {
  const facts = [
    { term: 'Address', value: <Name value={item.address} /> },
    item.aliases.length > 0 && { term: 'Former names', value: <Names values={item.aliases} /> },
    item.version !== undefined && { term: 'Version', value: <Name value={item.version} /> },
    item.discriminator !== undefined && {
      term: 'Action argument',
      value: <Name value={item.discriminator} />,
    },
    item.idempotencyField !== undefined && {
      term: 'Idempotency key',
      value: <Name value={item.idempotencyField} />,
    },
    item.taskSupport !== undefined && { term: 'Runs as a task', value: taskWords[item.taskSupport] },
    item.actions.length > 0 && {
      term: 'Actions',
      value: (
        <span class="surface-actions">
          {item.actions.map((address) => (
            <a key={address} href={linkTo('surface', address)}>
              <Name value={address.slice(address.indexOf('/') + 1)} />
            </a>
          ))}
        </span>
      ),
    },
  ].filter((fact) => fact !== false);
  return (
    <dl class="facts">
      {facts.map(({ term, value }) => (
        <>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

function Names({ values }: { readonly values: readonly string[] }) {
  return (
    <>
      {values.map((value, index) => (
        <span key={value}>
          {index > 0 && ', '}
          <Name value={value} />
        </span>
      ))}
    </>
  );
}
