import { useState } from 'preact/hooks';
import type { Form, PageCaller, Perspective, ServerInfo, ShownProfile } from '../../../../src/page-api.js';
import { Button, Segments } from '../../ui/button.js';
import { Checkbox, Field, Select } from '../../ui/field.js';
import { Name, visibleText } from '../../ui/text.js';
import { LateInput } from './late-input.js';
import { splitNames } from './perspective-route.js';

interface ChoicesProps {
  readonly info: ServerInfo;
  readonly value: Perspective;
  /**
   * Merges a change. Pass a function if the change depends on the current perspective, because another change may come
   * first.
   */
  readonly onChange: (part: Partial<Perspective> | ((now: Perspective) => Partial<Perspective>)) => void;
}

/** Form to choose the client, the caller, and the part of the server. */
export function Choices(props: ChoicesProps) {
  return (
    <form class="views-choices" aria-label="Perspective" onSubmit={(event) => event.preventDefault()}>
      <ClientChoices {...props} />
      {props.info.isForwarded === true ? <ForwardedCaller /> : <CallerChoices {...props} />}
      <PartChoices {...props} />
    </form>
  );
}

const UNSET = '';

function clientKey({ name, version }: NonNullable<Perspective['client']>): string {
  return version === undefined ? name : `${name} ${version}`;
}

function ClientChoices({ info, value, onChange }: ChoicesProps) {
  return (
    <fieldset class="views-group">
      <legend>Client</legend>
      <Field label="Client">
        {(control) => (
          <Select<string>
            {...control}
            value={value.client ? clientKey(value.client) : UNSET}
            options={[
              { value: UNSET, label: 'not known' },
              ...info.clients.map((client) => ({
                value: clientKey(client),
                label: clientKey(client),
              })),
            ]}
            onChange={(key) => {
              const client = info.clients.find((each) => clientKey(each) === key);
              onChange({ client: client && { name: client.name, version: client.version } });
            }}
          />
        )}
      </Field>
      <div class="views-pair">
        <Field label="Form">
          {(control) => (
            <Select<string>
              {...control}
              value={value.form ?? UNSET}
              options={[
                { value: UNSET, label: value.client ? 'server’s choice' : `server (${info.form})` },
                ...info.forms.map(({ form, problem }) => ({
                  value: form,
                  label: form,
                  isDisabled: problem !== undefined,
                })),
              ]}
              onChange={(form) => onChange({ form: form === UNSET ? undefined : (form as Form) })}
            />
          )}
        </Field>
        <Field label="Profile">
          {(control) => (
            <Select<string>
              {...control}
              value={value.profile ?? UNSET}
              options={[
                {
                  value: UNSET,
                  label: value.client
                    ? 'server’s choice'
                    : `server (${info.profile === 'none' ? 'as written' : info.profile})`,
                },
                ...info.profiles.map((profile) => ({
                  value: profile,
                  label: profile === 'none' ? 'as written' : profile,
                })),
              ]}
              onChange={(profile) =>
                onChange({ profile: profile === UNSET ? undefined : (profile as ShownProfile) })
              }
            />
          )}
        </Field>
      </div>
    </fieldset>
  );
}

/** Explains that a server opened with `toolfold ui <url>` identifies callers itself. */
function ForwardedCaller() {
  return (
    <fieldset class="views-group">
      <legend>Caller</legend>
      <p class="hint">
        The server gets the credentials that you passed to toolfold ui, so the caller cannot be chosen here.
      </p>
    </fieldset>
  );
}

function CallerChoices({ info, value, onChange }: ChoicesProps) {
  const caller = value.caller ?? {};
  const change = (part: Partial<PageCaller>) => onChange((now) => ({ caller: { ...now.caller, ...part } }));
  const has = (scope: string) => caller.scopes?.includes(scope) ?? true;
  const toggle = (scope: string, isOn: boolean) => {
    const now = caller.scopes ?? info.scopes;
    const next = isOn ? [...now, scope] : now.filter((each) => each !== scope);
    // If all scopes are chosen, store none: the default then includes scopes that are added later.
    change({ scopes: info.scopes.every((each) => next.includes(each)) ? undefined : next });
  };
  return (
    <fieldset class="views-group">
      <legend>Caller</legend>
      <Field label="Name of the caller" hint="The client id of the access token.">
        {(control) => (
          <LateInput
            control={control}
            value={caller.clientId ?? ''}
            placeholder="page"
            onChange={(id) => change({ clientId: id === '' ? undefined : id })}
          />
        )}
      </Field>
      <div role="group" aria-labelledby="views-scopes" class="stack stack-tight">
        <div class="row">
          <span class="label grow" id="views-scopes">
            Scopes
          </span>
          <Button isSmall kind="quiet" onClick={() => change({ scopes: undefined })}>
            All
          </Button>
          <Button isSmall kind="quiet" onClick={() => change({ scopes: [] })}>
            None
          </Button>
        </div>
        {info.scopes.length === 0 ? (
          <p class="hint">No action needs a scope.</p>
        ) : (
          <div class="views-checks">
            {info.scopes.map((scope) => (
              <Checkbox key={scope} isChecked={has(scope)} onChange={(isOn) => toggle(scope, isOn)}>
                <Name value={scope} />
              </Checkbox>
            ))}
          </div>
        )}
      </div>
      <div class="row">
        <span class="label">If a scope is missing</span>
        <Segments
          label="If a scope is missing, actions are"
          value={value.hidesScopes === undefined ? 'server' : value.hidesScopes ? 'hide' : 'challenge'}
          options={[
            { value: 'server', label: 'server default' },
            { value: 'challenge', label: 'challenged' },
            { value: 'hide', label: 'hidden' },
          ]}
          onChange={(choice) =>
            onChange({ hidesScopes: choice === 'server' ? undefined : choice === 'hide' })
          }
        />
      </div>
      <p class="hint">
        Challenged actions are listed. Their calls are refused, and the client is asked for the scope.
      </p>
      <Claims value={caller.extra} onChange={(extra) => change({ extra })} />
    </fieldset>
  );
}

interface ClaimsProps {
  readonly value: PageCaller['extra'];
  readonly onChange: (extra: PageCaller['extra']) => void;
}

function Claims({ value, onChange }: ClaimsProps) {
  const [error, setError] = useState<string | undefined>(undefined);
  const read = (text: string) => {
    if (text.trim() === '') {
      setError(undefined);
      return onChange(undefined);
    }
    try {
      const claims: unknown = JSON.parse(text);
      if (typeof claims !== 'object' || claims === null || Array.isArray(claims))
        return setError('Claims are an object.');
      setError(undefined);
      return onChange(claims as Record<string, unknown>);
    } catch (problem) {
      return setError(problem instanceof Error ? problem.message : String(problem));
    }
  };
  return (
    <Field label="Further claims" hint="A JSON object, which handlers see as auth.extra." error={error}>
      {(control) => (
        <LateInput
          control={control}
          isMultiline
          value={value ? JSON.stringify(value, undefined, 2) : ''}
          placeholder={'{ "tenant": "acme" }'}
          onChange={read}
        />
      )}
    </Field>
  );
}

function PartChoices({ info, value, onChange }: ChoicesProps) {
  const toggle = (key: string, isOn: boolean) => {
    const now = value.toolsets ?? [];
    const next = isOn ? [...now, key] : now.filter((each) => each !== key);
    onChange({ toolsets: next.length === 0 ? undefined : next });
  };
  return (
    <fieldset class="views-group">
      <legend>Part of the server</legend>
      {info.toolsets.length > 0 && (
        <div role="group" aria-labelledby="views-toolsets" class="stack stack-tight">
          <span class="label" id="views-toolsets">
            Toolsets
          </span>
          <p class="hint">Default: the toolsets that the server starts with.</p>
          <div class="views-checks">
            {info.toolsets.map(({ key, name, tools }) => (
              <Checkbox
                key={key}
                isChecked={value.toolsets?.includes(key) ?? false}
                onChange={(isOn) => toggle(key, isOn)}
              >
                <bdi>{visibleText(name ?? key)}</bdi> <span class="faint">{tools}</span>
              </Checkbox>
            ))}
          </div>
        </div>
      )}
      <Field label="Only these tools" hint="Names, separated by commas.">
        {(control) => (
          <LateInput
            control={control}
            value={(value.tools ?? []).join(', ')}
            placeholder="all"
            onChange={(text) => onChange({ tools: splitNames(text) })}
          />
        )}
      </Field>
      <Field label="Without these tools">
        {(control) => (
          <LateInput
            control={control}
            value={(value.excludeTools ?? []).join(', ')}
            placeholder="none"
            onChange={(text) => onChange({ excludeTools: splitNames(text) })}
          />
        )}
      </Field>
      <Checkbox
        isChecked={value.readOnly ?? false}
        onChange={(isOn) => onChange({ readOnly: isOn ? true : undefined })}
      >
        Only actions that read
      </Checkbox>
    </fieldset>
  );
}
