import { useEffect, useState } from 'preact/hooks';
import { server } from '../../api/stores.js';
import type { CompletionRef } from '../../mcp/complete.js';
import { linkTo } from '../../routes.js';
import { Badge } from '../../ui/badge.js';
import { Button, LinkButton } from '../../ui/button.js';
import { Notice } from '../../ui/feedback.js';
import { JsonView } from '../../ui/json/json-view.js';
import { Name, Text } from '../../ui/text.js';
import { CopyAs } from '../try/copy/copy-as.js';
import { CallPanel } from '../try/run/call-panel.js';
import { RunOptions } from '../try/run/run-options.js';
import { CompletedInput } from './completed-input.js';
import { itemOf, restOf } from './entries.js';
import type { Entry } from './entries.js';
import { callItem, copiedItem, itemCalls } from './item-calls.js';
import { Subscription } from './subscription.js';
import { expandTemplate, variablesOf } from './uri-template.js';

type Values = Readonly<Record<string, string>>;

/** Describes one prompt, resource or template, with a form to use it. */
export function Detail({ entry }: { readonly entry: Entry }) {
  const { name, title, description } = itemOf(entry);
  const rest = restOf(entry);
  return (
    <div class="stack">
      <div class="stack stack-tight">
        <div class="row">
          <LinkButton isSmall kind="quiet" icon="back" href={linkTo('items')}>
            All
          </LinkButton>
          <h2 class="items-title">
            <Name value={entry.kind === 'prompt' ? name : entry.key} />
          </h2>
          <Badge>{entry.kind}</Badge>
          {entry.kind !== 'prompt' && mimeOf(entry) !== undefined && (
            <Badge kind="outline">{mimeOf(entry)}</Badge>
          )}
        </div>
        {title !== undefined && <Text value={title} class="strong" />}
        {description !== undefined && <Text value={description} clamp={4} class="soft" />}
      </div>
      <RunOptions />
      <Form key={rest} entry={entry} rest={rest} />
      <Outcomes rest={rest} />
      <details class="try-details">
        <summary>As the server lists it</summary>
        <JsonView value={itemOf(entry)} label="listed item" />
      </details>
    </div>
  );
}

function mimeOf(entry: Exclude<Entry, { kind: 'prompt' }>): string | undefined {
  return entry.kind === 'resource' ? entry.resource.mimeType : entry.template.mimeType;
}

interface FieldSpec {
  readonly name: string;
  readonly description?: string | undefined;
  readonly isRequired: boolean;
}

function fieldsOf(entry: Entry): readonly FieldSpec[] {
  if (entry.kind === 'prompt')
    return (entry.prompt.arguments ?? []).map(({ name, description, required }) => ({
      name,
      description,
      isRequired: required === true,
    }));
  if (entry.kind === 'template')
    return variablesOf(entry.template.uriTemplate).map((name) => ({ name, isRequired: false }));
  return [];
}

function referenceOf(entry: Entry): CompletionRef {
  return entry.kind === 'prompt'
    ? { type: 'ref/prompt', name: entry.prompt.name }
    : { type: 'ref/resource', uri: entry.key };
}

function requestOf(
  entry: Entry,
  values: Values,
): { readonly method: 'prompts/get' | 'resources/read'; readonly params: Readonly<Record<string, unknown>> } {
  if (entry.kind === 'prompt')
    return { method: 'prompts/get', params: { name: entry.prompt.name, arguments: values } };
  const uri =
    entry.kind === 'resource' ? entry.resource.uri : expandTemplate(entry.template.uriTemplate, values);
  return { method: 'resources/read', params: { uri } };
}

function Form({ entry, rest }: { readonly entry: Entry; readonly rest: string }) {
  const [values, setValues] = useState<Values>({});
  const [isTried, setTried] = useState(false);
  const canCall = server.value?.canCall === true;
  const fields = fieldsOf(entry);
  const { method, params } = requestOf(entry, values);
  const missing = fields.filter(({ name, isRequired }) => isRequired && values[name] === undefined);
  const run = (): void => {
    setTried(true);
    if (canCall && missing.length === 0) callItem(rest, method, params);
  };
  const isResource = entry.kind === 'resource';
  // Reading has no side effects, so the resource is read at once.
  useEffect(() => {
    if (isResource && canCall && !itemCalls.peek().has(rest)) run();
  }, []);
  return (
    <form
      class="panel"
      aria-label={entry.kind === 'prompt' ? 'Arguments of the prompt' : 'Resource'}
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <div class="panel-body stack">
        {fields.map(({ name, description, isRequired }) => (
          <CompletedInput
            key={name}
            name={name}
            description={description}
            isRequired={isRequired}
            error={isTried && missing.some((field) => field.name === name) ? 'is required' : undefined}
            value={values[name]}
            others={Object.fromEntries(Object.entries(values).filter(([key]) => key !== name))}
            reference={referenceOf(entry)}
            canComplete={canCall}
            onChange={(value) =>
              setValues(
                Object.fromEntries(
                  Object.entries({ ...values, [name]: value }).filter(
                    (pair): pair is [string, string] => pair[1] !== undefined,
                  ),
                ),
              )
            }
          />
        ))}
        {fields.length === 0 && entry.kind === 'prompt' && (
          <p class="soft">This prompt takes no arguments.</p>
        )}
        {entry.kind === 'template' && (
          <p class="soft small">
            Reads <Name value={String(params['uri'])} />
          </p>
        )}
        {!canCall && (
          <Notice kind="info">A saved list has no server behind it, so nothing can be read.</Notice>
        )}
        <div class="row">
          <Button kind="primary" type="submit" icon="try" aria-disabled={!canCall}>
            {entry.kind === 'prompt' ? 'Get the prompt' : isResource ? 'Read again' : 'Read'}
          </Button>
          {isResource && canCall && <Subscription uri={entry.resource.uri} onUpdate={run} />}
        </div>
        <details class="try-details">
          <summary>Copy as</summary>
          <CopyAs call={copiedItem(method, params)} />
        </details>
      </div>
    </form>
  );
}

function Outcomes({ rest }: { readonly rest: string }) {
  const calls = itemCalls.value.get(rest) ?? [];
  return (
    <div class={calls.length > 1 ? 'try-columns' : undefined}>
      {calls.map((call) => (
        <CallPanel key={call.trace} call={call} title="Result" />
      ))}
    </div>
  );
}
