import { useMemo } from 'preact/hooks';
import type { Form, Listing, ShownProfile } from '../../../../src/page-api.js';
import { api } from '../../api/client.js';
import { useResource } from '../../api/resource.js';
import { server, tree } from '../../api/stores.js';
import { IconButton } from '../../ui/button.js';
import { CodeBlock } from '../../ui/copy.js';
import { Loaded, Notice } from '../../ui/feedback.js';
import { Select } from '../../ui/field.js';
import { countOf, formatCount } from '../../ui/figures.js';
import { JsonView } from '../../ui/json/json-view.js';
import { SchemaOutline } from '../../ui/schema/schema-outline.js';
import { Name, Text } from '../../ui/text.js';
import { inputView } from './state.js';
import type { ListingColumn } from './state.js';

type Shown = Exclude<Listing, { readonly problem: string }>;

interface ColumnProps {
  readonly address: string;
  readonly column: ListingColumn;
  /** Number of the column, which the labels of its controls contain. */
  readonly position: number;
  readonly onChange: (column: ListingColumn) => void;
  readonly onRemove: (() => void) | undefined;
}

/** Shows what a model reads about an item in one form and profile. */
export function Column({ address, column, position, onChange, onRemove }: ColumnProps) {
  const { form, profile } = column;
  const listing = useResource(
    (signal) => api.listing(address, form, profile, signal),
    [address, form, profile],
  );
  const info = server.value;
  return (
    <section class="surface-column" aria-label={`Column ${position}: ${form}, ${profile}`}>
      <header class="surface-column-head">
        <Select<Form>
          label={`Form of column ${position}`}
          value={form}
          options={(info?.forms ?? []).map((each) => ({ value: each.form, label: each.form }))}
          onChange={(next) => onChange({ form: next, profile })}
        />
        <Select<ShownProfile>
          label={`Profile of column ${position}`}
          value={profile}
          options={(info?.profiles ?? []).map((each) => ({
            value: each,
            label: each === 'none' ? 'as written' : each,
          }))}
          onChange={(next) => onChange({ form, profile: next })}
        />
        {onRemove && (
          <IconButton isSmall icon="close" label={`Remove column ${position}`} onClick={onRemove} />
        )}
      </header>
      <div class="surface-column-body">
        <Loaded resource={listing}>{(value) => <ListingView listing={value} address={address} />}</Loaded>
      </div>
    </section>
  );
}

/**
 * Says what the tokens of a column cover: a tool with all its actions, one action, or a tool that calls all actions.
 */
function describeTokens({ form, call, described }: Shown, address: string): string {
  const [tool] = address.split('/');
  const actions = new Set(
    tree.value?.nodes.flatMap((node) => (node.address?.startsWith(`${tool}/`) === true ? node.address : [])),
  ).size;
  if (form === 'grouped' && actions > 0) return `tokens for ${countOf(actions, 'action')}`;
  if (described !== undefined && Object.keys(call.arguments).length > 0)
    return 'tokens, shared by many actions';
  return 'tokens';
}

function ListingView({ listing, address }: { readonly listing: Listing; readonly address: string }) {
  if ('problem' in listing)
    return (
      <Notice kind="warning">
        <Text value={listing.problem} />
      </Notice>
    );
  const { tool, call, tokens, changes, described } = listing;
  const fixed = Object.entries(call.arguments);
  return (
    <div class="stack">
      <div>
        <p class="surface-column-tokens">
          {formatCount(tokens)} <span class="soft small">{describeTokens(listing, address)}</span>
        </p>
        <p class="surface-call" title="How a call of the item begins">
          <Name value={call.name} class="strong" />
          {fixed.length > 0 && (
            <Name
              class="soft"
              value={`{ ${fixed.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join(', ')} }`}
            />
          )}
        </p>
      </div>
      {changes.length > 0 && (
        <details class="surface-changes">
          <summary>{countOf(changes.length, 'place')} rewritten for this profile</summary>
          <ul>
            {changes.map((change, index) => (
              <li key={index}>
                <Text value={change.message} />{' '}
                <span class="faint">
                  <Name value={change.pointer} class="small" />
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      <div>
        <h4 class="surface-label">Description</h4>
        {tool.description === undefined || tool.description === '' ? (
          <p class="soft small">None.</p>
        ) : (
          <Text value={tool.description} clamp={10} lineLength={38} class="small" />
        )}
      </div>
      {described !== undefined && (
        <div>
          <h4 class="surface-label">Answer of describe_tools</h4>
          <Described text={described} />
        </div>
      )}
      <div>
        <h4 class="surface-label">Input</h4>
        {inputView.value === 'outline' ? (
          <SchemaOutline schema={tool.inputSchema} />
        ) : (
          <JsonView value={tool.inputSchema} label="input schema" openDepth={3} />
        )}
      </div>
    </div>
  );
}

/** Shows the answer of `describe_tools` as a tree, if it is JSON. */
function Described({ text }: { readonly text: string }) {
  const value = useMemo(() => parseObject(text), [text]);
  return value === undefined || inputView.value === 'json' ? (
    <CodeBlock value={text} label="answer of describe_tools" />
  ) : (
    <JsonView value={value} label="answer of describe_tools" openDepth={3} />
  );
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // Not JSON, so the answer is shown as text.
    return undefined;
  }
}
