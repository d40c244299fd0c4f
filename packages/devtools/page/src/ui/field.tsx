import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { classOf } from './button.js';
import { Icon } from './icons.js';

/** The ids and states that a control inside a `Field` must carry. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby'?: string | undefined;
  readonly 'aria-invalid'?: boolean | undefined;
}

interface FieldProps {
  readonly label: ComponentChildren;
  /** Shown beside the label, such as a type. */
  readonly aside?: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly error?: ComponentChildren;
  readonly class?: string | undefined;
  readonly children: (control: ControlProps) => ComponentChildren;
}

/** A labelled control with a hint and an error, which screen readers read with it. */
export function Field({ label, aside, hint, error, class: name, children }: FieldProps) {
  const id = useId();
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(error === undefined ? [] : [`${id}-error`]),
  ];
  return (
    <div class={classOf('field', name)}>
      <label class="label" for={id}>
        {label}
        {aside}
      </label>
      {children({
        id,
        'aria-describedby': described.length === 0 ? undefined : described.join(' '),
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <div class="hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {error !== undefined && (
        <div class="field-error" id={`${id}-error`}>
          {error}
        </div>
      )}
    </div>
  );
}

interface SelectProps<T extends string> extends Partial<ControlProps> {
  readonly value: T;
  readonly options: readonly {
    readonly value: T;
    readonly label: string;
    readonly isDisabled?: boolean | undefined;
  }[];
  readonly onChange: (value: T) => void;
  /** Label of the control, unless a `Field` labels it. */
  readonly label?: string | undefined;
  readonly isDisabled?: boolean | undefined;
}

export function Select<T extends string>(props: SelectProps<T>) {
  const { value, options, onChange, label, isDisabled, ...control } = props;
  return (
    <select
      {...control}
      class="input"
      aria-label={label}
      disabled={isDisabled ?? false}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value as T)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value} disabled={option.isDisabled ?? false}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

interface CheckboxProps {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly isDisabled?: boolean | undefined;
  readonly children: ComponentChildren;
}

export function Checkbox({ isChecked, onChange, isDisabled, children }: CheckboxProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled ?? false}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>{children}</span>
    </label>
  );
}

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onKeyDown?: ((event: KeyboardEvent) => void) | undefined;
}

export function SearchField({ label, value, onChange, onKeyDown }: SearchFieldProps) {
  return (
    <div class="search-field">
      <Icon name="search" size={14} />
      <input
        type="search"
        class="input"
        autocomplete="off"
        spellcheck={false}
        placeholder={label}
        aria-label={label}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}
