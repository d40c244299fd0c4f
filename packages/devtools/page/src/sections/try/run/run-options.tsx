import type { Form, ItemDetail, ShownProfile } from '../../../../../src/page-api.js';
import { server } from '../../../api/stores.js';
import { perspective } from '../../../perspective.js';
import { linkTo } from '../../../routes.js';
import { Segments } from '../../../ui/button.js';
import { Checkbox, Field, Select } from '../../../ui/field.js';
import { Icon } from '../../../ui/icons.js';
import { Name } from '../../../ui/text.js';
import { writePerspective } from '../../views/perspective-route.js';
import { chosenForm, options } from './runs.js';
import type { EraChoice } from './runs.js';

function set(more: Partial<typeof options.value>): void {
  options.value = { ...options.value, ...more };
}

function setForm(more: { readonly form?: Form; readonly profile?: ShownProfile }): void {
  perspective.value = { ...perspective.value, ...more };
}

/** Controls for the form, profile, era and caller of a call. */
export function RunOptions({ item }: { readonly item?: ItemDetail | undefined }) {
  const info = server.value;
  const { form, profile } = chosenForm();
  const { era, asTask, timeoutS } = options.value;
  const support = item?.taskSupport;
  return (
    <div class="try-run-options">
      <Field label="Form">
        {(control) => (
          <Select
            {...control}
            value={form}
            options={(info?.forms ?? []).map((each) => ({
              value: each.form,
              label: each.form,
              isDisabled: each.problem !== undefined,
            }))}
            onChange={(value) => setForm({ form: value })}
          />
        )}
      </Field>
      <Field label="Profile">
        {(control) => (
          <Select
            {...control}
            value={profile}
            options={(info?.profiles ?? []).map((value) => ({
              value,
              label: value === 'none' ? 'as written' : value,
            }))}
            onChange={(value) => setForm({ profile: value })}
          />
        )}
      </Field>
      <div class="field">
        <span class="label">Era</span>
        <Segments<EraChoice>
          label="Era"
          value={era}
          options={[
            { value: '2026', label: '2026' },
            { value: '2025', label: '2025' },
            { value: 'both', label: 'both' },
          ]}
          onChange={(value) => set({ era: value })}
        />
      </div>
      <Field label="Time limit">
        {(control) => (
          <Select
            {...control}
            value={String(timeoutS)}
            options={[10, 60, 300, 3_600].map((seconds) => ({
              value: String(seconds),
              label: seconds < 60 ? `${seconds} s` : `${seconds / 60} min`,
            }))}
            onChange={(value) => set({ timeoutS: Number(value) })}
          />
        )}
      </Field>
      {(support === 'optional' || support === 'required') && (
        <Checkbox
          isChecked={asTask || support === 'required'}
          isDisabled={support === 'required'}
          onChange={(isChecked) => set({ asTask: isChecked })}
        >
          as a task{support === 'required' ? ' (required)' : ''}
        </Checkbox>
      )}
      <Caller />
    </div>
  );
}

function Caller() {
  const { caller } = perspective.value;
  const { clientId, scopes } = caller ?? {};
  if (server.value?.isForwarded === true)
    return (
      <span class="try-caller">
        <Icon name="person" size={14} />
        with the credentials of toolfold ui
      </span>
    );
  return (
    <a
      class="try-caller"
      href={linkTo('views', writePerspective(perspective.value))}
      title="Change the caller in the section Views"
    >
      <Icon name="person" size={14} />
      <span>
        as <Name value={clientId ?? 'page'} /> with{' '}
        {scopes === undefined ? (
          'all scopes'
        ) : scopes.length === 0 ? (
          'no scopes'
        ) : (
          <Name value={scopes.join(', ').slice(0, 80)} />
        )}
      </span>
    </a>
  );
}
