import { useRef } from 'preact/hooks';
import { Button, IconButton, Segments } from '../../../ui/button.js';
import { Checkbox, Select } from '../../../ui/field.js';
import { Name } from '../../../ui/text.js';
import { chooseOption, initialDraft, nextId, unknownField } from '../form/draft.js';
import type { Draft, Entry, Item } from '../form/draft.js';
import { itemField } from '../form/field.js';
import type { ArrayField, ChoiceField, ObjectField, UnionField } from '../form/field.js';
import { isSame } from '../form/json.js';
import type { ControlOf } from './control.js';
import { FieldControl } from './field-control.js';
import { GroupFrame } from './field-frame.js';
import { focusFirst } from './focus-field.js';

export function ObjectControl(props: ControlOf<ObjectField>) {
  const { field, draft, onChange, label, isRequired } = props;
  if (draft === undefined)
    return (
      <GroupFrame {...props}>
        {() => (
          <Button isSmall icon="plus" onClick={() => onChange(initialDraft(field))}>
            Add {label}
          </Button>
        )}
      </GroupFrame>
    );
  return (
    <GroupFrame {...props} canUnset={!isRequired}>
      {() => <ObjectFields {...props} />}
    </GroupFrame>
  );
}

/** Renders the fields of an object without a frame, as at the root of the form. */
export function ObjectFields({ field, draft, onChange, path, problems, label }: ControlOf<ObjectField>) {
  const { fields, extra } = draft !== undefined && 'fields' in draft ? draft : { fields: {}, extra: [] };
  const setField = (name: string, next: Draft): void =>
    onChange({ fields: Object.fromEntries([...Object.entries(fields), [name, next]]), extra });
  const setExtra = (entries: readonly Entry[]): void => onChange({ fields, extra: entries });
  // Required properties come first.
  const properties = field.properties.toSorted(
    (one, other) => Number(other.isRequired) - Number(one.isRequired),
  );
  return (
    <div class="try-fields">
      {properties.map(({ name, isRequired, field: read }) => (
        <FieldControl
          key={name}
          field={read()}
          draft={Object.hasOwn(fields, name) ? fields[name] : undefined}
          onChange={(next) => setField(name, next)}
          path={[...path, name]}
          problems={problems}
          label={name}
          isRequired={isRequired}
        />
      ))}
      {extra.map((entry) => (
        <EntryControl
          key={entry.id}
          entry={entry}
          field={field}
          path={path}
          problems={problems}
          onChange={(next) => setExtra(extra.map((each) => (each.id === entry.id ? next : each)))}
          onRemove={() => setExtra(extra.filter(({ id }) => id !== entry.id))}
        />
      ))}
      {field.isRecord && (
        <div>
          <Button
            isSmall
            icon="plus"
            onClick={() => {
              const value = field.additional === false ? undefined : initialDraft(field.additional());
              setExtra([...extra, { id: nextId(), key: '', draft: value }]);
            }}
          >
            Add another field{path.length === 0 ? '' : ` to ${label}`}
          </Button>
        </div>
      )}
    </div>
  );
}

interface EntryProps extends Pick<ControlOf<ObjectField>, 'field' | 'path' | 'problems'> {
  readonly entry: Entry;
  readonly onChange: (entry: Entry) => void;
  readonly onRemove: () => void;
}

function EntryControl({ entry, field, path, problems, onChange, onRemove }: EntryProps) {
  const value = field.additional === false ? unknownField : field.additional();
  return (
    <div class="try-entry">
      <div class="try-entry-key">
        <input
          class="input input-mono"
          aria-label="Name of the field"
          placeholder="name"
          autocomplete="off"
          spellcheck={false}
          value={entry.key}
          onInput={({ currentTarget }) => onChange({ ...entry, key: currentTarget.value })}
        />
        <IconButton icon="trash" isSmall label={`Remove ${entry.key || 'the field'}`} onClick={onRemove} />
      </div>
      <FieldControl
        field={value}
        draft={entry.draft}
        onChange={(draft) => onChange({ ...entry, draft })}
        path={[...path, entry.key]}
        problems={problems}
        label={entry.key || 'value'}
        isRequired
      />
    </div>
  );
}

/** Up to this number of choices, a list of choices is shown as checkboxes. */
const MAX_CHECKS = 12;

export function ArrayControl(props: ControlOf<ArrayField>) {
  const { field, draft, onChange, label, isRequired } = props;
  const items = draft !== undefined && 'items' in draft ? draft.items : [];
  const rest = field.rest === false || field.first.length > 0 ? undefined : field.rest();
  if (rest?.kind === 'choice' && rest.options.length <= MAX_CHECKS && !rest.isNullable && isSet(items))
    return <CheckedItems {...props} choice={rest} items={items} />;
  return (
    <GroupFrame {...props} canUnset={!isRequired}>
      {() => (
        <>
          {draft !== undefined && <Items {...props} items={items} />}
          <AddItem field={field} items={items} label={label} onChange={onChange} />
        </>
      )}
    </GroupFrame>
  );
}

function isSet(items: readonly Item[]): boolean {
  return items.every(({ draft }, index) => {
    if (draft === undefined || !('value' in draft)) return false;
    return !items
      .slice(0, index)
      .some(
        (other) =>
          other.draft !== undefined && 'value' in other.draft && isSame(other.draft.value, draft.value),
      );
  });
}

function CheckedItems({
  choice,
  items,
  ...props
}: ControlOf<ArrayField> & { readonly choice: ChoiceField; readonly items: readonly Item[] }) {
  const { onChange } = props;
  const isChosen = (value: unknown): boolean =>
    items.some(({ draft }) => draft !== undefined && 'value' in draft && isSame(draft.value, value));
  return (
    <GroupFrame {...props}>
      {() => (
        <div class="try-options">
          {choice.options.map(({ value, label }) => (
            <Checkbox
              key={label}
              isChecked={isChosen(value)}
              onChange={(isChecked) =>
                onChange({
                  // Keep the order of the schema, so that the value does not depend on the order of clicks.
                  items: choice.options
                    .filter((each) => (isSame(each.value, value) ? isChecked : isChosen(each.value)))
                    .map((each) => ({ id: nextId(), draft: { value: each.value } })),
                })
              }
            >
              <Name value={label} />
            </Checkbox>
          ))}
        </div>
      )}
    </GroupFrame>
  );
}

interface AddItemProps extends Pick<ControlOf<ArrayField>, 'field' | 'label' | 'onChange'> {
  readonly items: readonly Item[];
}

function AddItem({ field, items, label, onChange }: AddItemProps) {
  const read = itemField(field, items.length);
  if (!read) return null;
  return (
    <div class="row">
      <Button
        isSmall
        icon="plus"
        onClick={({ currentTarget }) => {
          const group = currentTarget.closest('fieldset');
          const id = nextId();
          onChange({ items: [...items, { id, draft: initialDraft(read()) }] });
          requestAnimationFrame(() => focusFirst(group?.querySelector(`[data-item="${id}"]`)));
        }}
      >
        Add item to {label}
      </Button>
    </div>
  );
}

function Items({
  field,
  items,
  onChange,
  path,
  problems,
  label,
}: ControlOf<ArrayField> & { readonly items: readonly Item[] }) {
  const list = useRef<HTMLOListElement>(null);
  const set = (next: readonly Item[]): void => onChange({ items: next });
  const move = (index: number, by: number): void => {
    const moved = items.toSpliced(index, 1).toSpliced(index + by, 0, ...items.slice(index, index + 1));
    const { id } = items[index] ?? {};
    set(moved);
    // After the item has moved, focus its button again, so that the user can move it further.
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`[data-item="${id}"] [data-move="${by}"]`)?.focus(),
    );
  };
  return (
    <ol class="try-items" ref={list}>
      {items.map((item, index) => (
        <li key={item.id} class="try-item" data-item={item.id}>
          <FieldControl
            field={itemField(field, index)?.() ?? unknownField}
            draft={item.draft}
            onChange={(draft) => set(items.map((each) => (each.id === item.id ? { ...each, draft } : each)))}
            path={[...path, index]}
            problems={problems}
            label={`${label} ${index + 1}`}
            isRequired
          />
          <div class="try-item-tools">
            <IconButton
              icon="up"
              isSmall
              data-move="-1"
              aria-disabled={index === 0}
              label={`Move item ${index + 1} up`}
              onClick={() => index > 0 && move(index, -1)}
            />
            <IconButton
              icon="down"
              isSmall
              data-move="1"
              aria-disabled={index === items.length - 1}
              label={`Move item ${index + 1} down`}
              onClick={() => index < items.length - 1 && move(index, 1)}
            />
            <IconButton
              icon="trash"
              isSmall
              label={`Remove item ${index + 1}`}
              onClick={() => set(items.filter(({ id }) => id !== item.id))}
            />
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Up to this number and length of labels, alternatives are shown side by side. */
const MAX_SEGMENTS = 4;
const MAX_SEGMENT_TEXT = 60;

export function UnionControl(props: ControlOf<UnionField>) {
  const { field, draft, onChange, path, problems, label, isRequired } = props;
  const chosen = draft !== undefined && 'option' in draft ? draft.option : undefined;
  const option = chosen === undefined ? undefined : field.options[chosen];
  const choose = (value: string): void => onChange(chooseOption(field, draft, Number(value)));
  const options = field.options.map((each, index) => ({ value: String(index), label: each.label }));
  const isShort =
    options.length <= MAX_SEGMENTS &&
    options.reduce((sum, each) => sum + each.label.length, 0) <= MAX_SEGMENT_TEXT;
  return (
    <GroupFrame {...props} canUnset={!isRequired}>
      {() => (
        <div class="stack">
          {isShort ? (
            <Segments
              label={`Alternative of ${label}`}
              value={String(chosen)}
              options={options}
              onChange={choose}
            />
          ) : (
            <Select
              label={`Alternative of ${label}`}
              value={chosen === undefined ? '-1' : String(chosen)}
              options={[{ value: '-1', label: 'choose an alternative', isDisabled: true }, ...options]}
              onChange={choose}
            />
          )}
          {option && draft !== undefined && 'option' in draft && (
            <UnionPart
              field={option.field()}
              draft={draft.draft}
              onChange={(next) => onChange({ option: draft.option, draft: next })}
              path={path}
              problems={problems}
              label={label}
              isRequired
            />
          )}
        </div>
      )}
    </GroupFrame>
  );
}

/** Renders the chosen alternative. Shows its problems here and not at the union, because both have the same path. */
function UnionPart(props: ControlOf<ReturnType<UnionField['options'][number]['field']>>) {
  const { field } = props;
  return field.kind === 'object' && props.draft !== undefined && 'fields' in props.draft ? (
    <ObjectFields {...props} field={field} />
  ) : (
    <FieldControl {...props} problems={new Map()} />
  );
}
