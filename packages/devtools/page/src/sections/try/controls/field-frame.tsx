import type { ComponentChildren } from 'preact';
import { Badge } from '../../../ui/badge.js';
import { IconButton } from '../../../ui/button.js';
import { Field as LabelledField } from '../../../ui/field.js';
import type { ControlProps } from '../../../ui/field.js';
import { Name, Text } from '../../../ui/text.js';
import type { Field } from '../form/field.js';
import { keyOf, problemAt, wordsFor } from './control.js';
import type { ControlOf } from './control.js';

/** Shows the name and type of a field. */
function FieldLabel({ field, label, isRequired }: Pick<ControlOf<Field>, 'field' | 'label' | 'isRequired'>) {
  return (
    <>
      <Name value={label} /> <span class="try-words">{wordsFor(field)}</span>{' '}
      {isRequired ? <span class="try-required">required</span> : null}
      {field.isDeprecated ? <Badge kind="warning">deprecated</Badge> : null}
    </>
  );
}

/** Shows the description of a field, and rules that only the server checks. */
function FieldHint({ field }: { readonly field: Field }) {
  const { description, title, unchecked } = field;
  // The pattern of a known format does not help the user.
  const pattern =
    field.kind === 'text' && field.format === undefined ? field.pattern?.slice(0, 200) : undefined;
  const others = unchecked.filter((rule) => rule !== 'the pattern');
  if (description === undefined && title === undefined && pattern === undefined && others.length === 0)
    return undefined;
  return (
    <>
      {title !== undefined && <Text value={description === undefined ? title : `${title}. `} />}
      {description !== undefined && <Text value={description} clamp={3} />}
      {pattern !== undefined && (
        <span class="try-words">
          {' '}
          pattern <Name value={pattern} />
        </span>
      )}
      {others.length > 0 && <span class="try-words"> The server also checks {others.join(', ')}.</span>}
    </>
  );
}

interface FrameProps extends Pick<
  ControlOf<Field>,
  'field' | 'draft' | 'onChange' | 'path' | 'problems' | 'label' | 'isRequired'
> {
  readonly children: (control: ControlProps) => ComponentChildren;
}

/** Frames a single control with its label, hint and problem, and buttons that set it to null or remove its value. */
export function ControlFrame({
  field,
  draft,
  onChange,
  path,
  problems,
  label,
  isRequired,
  children,
}: FrameProps) {
  const problem = problemAt(problems, path);
  return (
    <LabelledField
      label={<FieldLabel field={field} label={label} isRequired={isRequired} />}
      hint={FieldHint({ field })}
      error={problem === undefined ? undefined : <Text value={problem} />}
    >
      {(control) => (
        <div class="try-control" data-path={keyOf(path)}>
          {children(control)}
          <NullButton field={field} draft={draft} onChange={onChange} label={label} />
          {draft !== undefined && <UnsetButton label={label} onChange={onChange} />}
        </div>
      )}
    </LabelledField>
  );
}

interface GroupProps extends FrameProps {
  readonly children: () => ComponentChildren;
  /** Buttons beside the legend. */
  readonly tools?: ComponentChildren;
  readonly canUnset?: boolean | undefined;
}

/** Frames several controls with a common label. */
export function GroupFrame(props: GroupProps) {
  const {
    field,
    draft,
    onChange,
    path,
    problems,
    label,
    isRequired,
    children,
    tools,
    canUnset = true,
  } = props;
  const problem = problemAt(problems, path);
  return (
    <fieldset
      class="try-group"
      data-path={keyOf(path)}
      aria-invalid={problem === undefined ? undefined : true}
    >
      <legend class="label">
        <FieldLabel field={field} label={label} isRequired={isRequired} />
      </legend>
      <div class="try-group-tools">
        {tools}
        <NullButton field={field} draft={draft} onChange={onChange} label={label} />
        {canUnset && draft !== undefined && <UnsetButton label={label} onChange={onChange} />}
      </div>
      <div class="hint">{FieldHint({ field })}</div>
      {children()}
      {problem !== undefined && (
        <div class="field-error">
          <Text value={problem} />
        </div>
      )}
    </fieldset>
  );
}

export function isNullDraft(draft: ControlOf<Field>['draft']): boolean {
  return draft !== undefined && 'value' in draft && draft.value === null;
}

function NullButton({
  field,
  draft,
  onChange,
  label,
}: Pick<ControlOf<Field>, 'field' | 'draft' | 'onChange' | 'label'>) {
  if (!field.isNullable) return null;
  const isNull = isNullDraft(draft);
  return (
    <button
      type="button"
      class="button button-small try-null"
      aria-pressed={isNull}
      aria-label={`Send null for ${label}`}
      onClick={() => onChange(isNull ? undefined : { value: null })}
    >
      null
    </button>
  );
}

function UnsetButton({ label, onChange }: Pick<ControlOf<Field>, 'label' | 'onChange'>) {
  return <IconButton icon="close" isSmall label={`Unset ${label}`} onClick={() => onChange(undefined)} />;
}
