import { describeKind } from '../form/check-draft.js';
import type { Field } from '../form/field.js';
import { unknownField } from '../form/draft.js';
import type { ControlOf } from './control.js';
import { FileControl } from './file-control.js';
import { ArrayControl, ObjectControl, UnionControl } from './nested-controls.js';
import {
  BooleanControl,
  ChoiceControl,
  ConstControl,
  NumberControl,
  RawControl,
  TextControl,
} from './simple-controls.js';

/** Renders the control for a field of any kind. */
export function FieldControl({ field, ...props }: ControlOf<Field>) {
  const { draft } = props;
  if (draft !== undefined && 'raw' in draft && field.kind !== 'raw')
    return (
      <RawControl
        {...props}
        field={{ ...unknownField, ...pick(field), kind: 'raw', isAnything: false }}
        note={`This value does not fit the schema, which expects ${describeKind(field)}. Unset it to use the form.`}
      />
    );
  switch (field.kind) {
    case 'text':
      return <TextControl {...props} field={field} />;
    case 'number':
      return <NumberControl {...props} field={field} />;
    case 'boolean':
      return <BooleanControl {...props} field={field} />;
    case 'choice':
      return <ChoiceControl {...props} field={field} />;
    case 'const':
      return <ConstControl {...props} field={field} />;
    case 'file':
      return <FileControl {...props} field={field} />;
    case 'object':
      return <ObjectControl {...props} field={field} />;
    case 'array':
      return <ArrayControl {...props} field={field} />;
    case 'union':
      return <UnionControl {...props} field={field} />;
    case 'raw':
      return <RawControl {...props} field={field} />;
  }
}

function pick({ title, description, examples, isDeprecated, isNullable, unchecked }: Field) {
  return { title, description, examples, isDeprecated, isNullable, unchecked };
}
