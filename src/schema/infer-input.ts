import type { StandardSchemaV1 } from '@standard-schema/spec';

/** What the handler of a schema's tool gets: the output of a library's schema, or an open object. */
export type InferInput<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<S>
  : S extends Readonly<Record<string, StandardSchemaV1>>
    ? InferShape<S>
    : Record<string, unknown>;

/** The input of an object of schemas: what may be undefined may be left out. */
type InferShape<S extends Readonly<Record<string, StandardSchemaV1>>> = {
  [
    K in keyof S as undefined extends StandardSchemaV1.InferOutput<S[K]> ? never : K
  ]: StandardSchemaV1.InferOutput<S[K]>;
} & {
  [
    K in keyof S as undefined extends StandardSchemaV1.InferOutput<S[K]> ? K : never
  ]?: StandardSchemaV1.InferOutput<S[K]>;
};
