import { useId } from 'preact/hooks';
import { labelOf } from '../form/read-schema.js';
import { isSame } from '../form/json.js';
import type { Json } from '../form/json.js';
import type {
  BooleanField,
  ChoiceField,
  ConstField,
  NumberField,
  RawField,
  TextField,
} from '../form/field.js';
import { IconButton } from '../../../ui/button.js';
import { Checkbox } from '../../../ui/field.js';
import { Name, Text } from '../../../ui/text.js';
import { placeholderOf } from './control.js';
import type { ControlOf } from './control.js';
import { ControlFrame, GroupFrame, isNullDraft } from './field-frame.js';

function textOf(draft: ControlOf<TextField>['draft']): string {
  return draft !== undefined && 'text' in draft ? draft.text : '';
}

export function TextControl(props: ControlOf<TextField>) {
  const { field, draft, onChange, isRequired, label } = props;
  const text = textOf(draft);
  const isNull = isNullDraft(draft);
  const placeholder = isNull ? 'null' : draft === undefined ? placeholderOf(field, isRequired) : 'empty text';
  // A date picker cannot show text that is not a date.
  const isDate = field.format === 'date' && (text === '' || /^\d{4}-\d\d-\d\d$/.test(text));
  // Preact declares a separate type for each input type and accepts no union of them.
  const type = (field.isSecret ? 'password' : isDate ? 'date' : 'text') as 'text';
  return (
    <ControlFrame {...props}>
      {(control) =>
        field.isMultiline || text.includes('\n') ? (
          <textarea
            {...control}
            class="input"
            rows={Math.min(Math.max(text.split('\n').length + 1, 4), 16)}
            placeholder={placeholder}
            disabled={isNull}
            value={text}
            onInput={({ currentTarget }) => onChange({ text: currentTarget.value })}
          />
        ) : (
          <>
            <input
              {...control}
              class="input"
              type={type}
              inputMode={field.format === 'email' ? 'email' : undefined}
              autocomplete="off"
              spellcheck={false}
              placeholder={placeholder}
              disabled={isNull}
              value={text}
              onInput={({ currentTarget }) =>
                // An empty date means no value, but an empty text is a value.
                onChange(isDate && currentTarget.value === '' ? undefined : { text: currentTarget.value })
              }
            />
            {field.format === 'date-time' && !isNull && (
              <span class="try-pick">
                <input
                  type="datetime-local"
                  step={1}
                  tabIndex={-1}
                  aria-hidden="true"
                  value={/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(text)?.[0] ?? ''}
                  onInput={({ currentTarget: { value } }) =>
                    value !== '' && onChange({ text: `${value.length === 16 ? `${value}:00` : value}Z` })
                  }
                />
                <IconButton
                  icon="calendar"
                  isSmall
                  label={`Pick ${label} in UTC`}
                  onClick={({ currentTarget }) =>
                    (currentTarget.previousElementSibling as HTMLInputElement).showPicker()
                  }
                />
              </span>
            )}
          </>
        )
      }
    </ControlFrame>
  );
}

export function NumberControl(props: ControlOf<NumberField>) {
  const { field, draft, onChange, isRequired } = props;
  const isNull = isNullDraft(draft);
  return (
    <ControlFrame {...props}>
      {(control) => (
        <input
          {...control}
          class="input try-number"
          // A number input hides text that is not a number, and rounds large numbers.
          type="text"
          inputMode={field.isInteger ? 'numeric' : 'decimal'}
          autocomplete="off"
          placeholder={isNull ? 'null' : placeholderOf(field, isRequired)}
          disabled={isNull}
          value={draft !== undefined && 'text' in draft ? draft.text : ''}
          onInput={({ currentTarget: { value } }) => onChange(value === '' ? undefined : { text: value })}
        />
      )}
    </ControlFrame>
  );
}

export function BooleanControl(props: ControlOf<BooleanField>) {
  return (
    <OptionsControl {...props} options={[true, false].map((value) => ({ value, label: String(value) }))} />
  );
}

/** Up to this number and length of labels, options are shown as radio buttons. */
const MAX_RADIOS = 5;
const MAX_RADIO_TEXT = 48;

export function ChoiceControl(props: ControlOf<ChoiceField>) {
  const { field, draft, onChange, isRequired } = props;
  const { options } = field;
  const text = options.reduce((sum, { label }) => sum + label.length, 0);
  if (options.length <= MAX_RADIOS && text <= MAX_RADIO_TEXT)
    return <OptionsControl {...props} options={options} />;
  const chosen =
    draft !== undefined && 'value' in draft
      ? options.findIndex(({ value }) => isSame(value, draft.value))
      : -1;
  return (
    <ControlFrame {...props}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={String(chosen)}
          onChange={({ currentTarget }) => {
            const option = options[Number(currentTarget.value)];
            onChange(option && { value: option.value });
          }}
        >
          <option value="-1">{placeholderOf(field, isRequired) || 'choose'}</option>
          {options.map(({ label }, index) => (
            <option key={label} value={String(index)}>
              {label}
            </option>
          ))}
        </select>
      )}
    </ControlFrame>
  );
}

interface OptionsProps extends ControlOf<BooleanField | ChoiceField> {
  readonly options: readonly { readonly value: Json; readonly label: string }[];
}

function OptionsControl({ options, ...props }: OptionsProps) {
  const id = useId();
  const { field, draft, onChange } = props;
  const value = draft !== undefined && 'value' in draft ? draft.value : undefined;
  return (
    <GroupFrame {...props}>
      {() => (
        <div class="try-options">
          {options.map((option) => (
            <label key={option.label} class="try-option">
              <input
                type="radio"
                name={id}
                checked={draft !== undefined && isSame(value, option.value)}
                onChange={() => onChange({ value: option.value })}
              />
              <Name value={option.label} />
              {isSame(field.default, option.value) && <span class="try-words">default</span>}
            </label>
          ))}
        </div>
      )}
    </GroupFrame>
  );
}

export function ConstControl(props: ControlOf<ConstField>) {
  const { field, draft, onChange, isRequired } = props;
  const value = <Name value={labelOf(field.value)} />;
  return (
    <GroupFrame {...props} canUnset={false}>
      {() =>
        isRequired && draft !== undefined ? (
          <div class="try-fixed">{value}</div>
        ) : (
          <Checkbox
            isChecked={draft !== undefined}
            onChange={(isChecked) => onChange(isChecked ? { value: field.value } : undefined)}
          >
            send {value}
          </Checkbox>
        )
      }
    </GroupFrame>
  );
}

/** Edits a value as JSON text: for schemas without a control, and for values that do not fit their schema. */
export function RawControl(props: ControlOf<RawField> & { readonly note?: string | undefined }) {
  const { field, draft, onChange, isRequired, note } = props;
  const text = draft !== undefined && 'raw' in draft ? draft.raw : '';
  return (
    <ControlFrame {...props}>
      {(control) => (
        <div class="grow stack stack-tight">
          <textarea
            {...control}
            class="input input-mono"
            rows={Math.min(Math.max(text.split('\n').length, 2), 16)}
            spellcheck={false}
            placeholder={placeholderOf(field, isRequired) || 'JSON'}
            value={text}
            onInput={({ currentTarget: { value } }) => onChange(value === '' ? undefined : { raw: value })}
          />
          {(note ?? field.reason) !== undefined && (
            <span class="hint">
              <Text value={note ?? field.reason ?? ''} />
            </span>
          )}
        </div>
      )}
    </ControlFrame>
  );
}
