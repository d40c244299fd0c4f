import type { Json, JsonObject } from './json.js';

/** A part of a schema, in the form of the control that edits it. */
export type Field =
  | TextField
  | NumberField
  | BooleanField
  | ChoiceField
  | ConstField
  | FileField
  | ObjectField
  | ArrayField
  | UnionField
  | RawField;

export interface FieldBase {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Shown as a placeholder. The form does not send it, because the server applies it. */
  readonly default?: Json | undefined;
  readonly examples: readonly Json[];
  readonly isDeprecated: boolean;
  readonly isNullable: boolean;
  /** Short descriptions of rules that only the server checks. */
  readonly unchecked: readonly string[];
}

export interface TextField extends FieldBase {
  readonly kind: 'text';
  readonly format?: string | undefined;
  readonly isMultiline: boolean;
  readonly isSecret: boolean;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly pattern?: string | undefined;
}

export interface NumberField extends FieldBase {
  readonly kind: 'number';
  readonly isInteger: boolean;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly exclusiveMaximum?: number | undefined;
  readonly multipleOf?: number | undefined;
}

export interface BooleanField extends FieldBase {
  readonly kind: 'boolean';
}

export interface ChoiceField extends FieldBase {
  readonly kind: 'choice';
  readonly options: readonly { readonly value: Json; readonly label: string }[];
}

export interface ConstField extends FieldBase {
  readonly kind: 'const';
  readonly value: Json;
}

/** Bytes as base64 text. */
export interface FileField extends FieldBase {
  readonly kind: 'file';
  readonly mediaType?: string | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
}

/** An object with named properties, free entries, or both. */
export interface ObjectField extends FieldBase {
  readonly kind: 'object';
  readonly properties: readonly Property[];
  /** Field of additional entries; `false` if none are allowed. */
  readonly additional: (() => Field) | false;
  /** Whether the schema is meant for additional entries, so that the form offers to add them. */
  readonly isRecord: boolean;
  readonly minProperties?: number | undefined;
  readonly maxProperties?: number | undefined;
}

export interface Property {
  readonly name: string;
  readonly isRequired: boolean;
  /** Lazy, because a schema may contain itself. */
  readonly field: () => Field;
}

/** A list, or a tuple if the first items have fields of their own. */
export interface ArrayField extends FieldBase {
  readonly kind: 'array';
  readonly first: readonly (() => Field)[];
  /** Field of the items after `first`; `false` if no more items are allowed. */
  readonly rest: (() => Field) | false;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly isUnique: boolean;
}

export interface UnionField extends FieldBase {
  readonly kind: 'union';
  /** Whether exactly one alternative must match. */
  readonly isExclusive: boolean;
  readonly options: readonly { readonly label: string; readonly field: () => Field }[];
}

/** A schema without a control. Its value is edited as JSON. */
export interface RawField extends FieldBase {
  readonly kind: 'raw';
  /** Explains to the user why there is no control. Missing if no explanation is needed. */
  readonly reason?: string | undefined;
  /** Whether any JSON value is allowed. */
  readonly isAnything: boolean;
  /** Whether no value is allowed. */
  readonly isForbidden?: boolean | undefined;
}

export type { Json, JsonObject };

/** Returns the field of a list item; `undefined` if the list must not have an item at this index. */
export function itemField(field: ArrayField, index: number): (() => Field) | undefined {
  return field.first[index] ?? (field.rest === false ? undefined : field.rest);
}
