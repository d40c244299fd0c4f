import type { JsonSchemaObject } from '@toolfold/schema';

/**
 * A plan for turning the flat input of an action into an HTTP request. It is made once from the specification; sending
 * a request only reads it.
 */
export interface RequestPlan {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly ParameterPlan[];
  readonly body: BodyPlan | undefined;
  readonly accept: string;
  /** The first alternative whose credentials are all known is used. An empty alternative needs no credentials. */
  readonly security: readonly SecurityAlternative[];
}

export interface ParameterPlan {
  readonly field: string;
  /** The parameter is sent under this name, which may differ from the field. */
  readonly name: string;
  readonly place: 'path' | 'query' | 'header' | 'cookie';
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  readonly required: boolean;
  /** The media type of a parameter with `content`, in which its value is written. */
  readonly mediaType: string | undefined;
  readonly schema: JsonSchemaObject;
}

/** The serialization style of a parameter, in the terms of OpenAPI. */
export type ParameterStyle =
  | 'matrix'
  | 'label'
  | 'simple'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject';

/** The body of an operation, in the one media type that Toolfold sends. */
export interface BodyPlan {
  /** The media type as the specification writes it. */
  readonly mediaType: string;
  readonly kind: 'json' | 'form' | 'multipart' | 'text' | 'binary';
  readonly required: boolean;
  /** The field that holds the whole body, if its properties are not fields themselves. */
  readonly wholeField: string | undefined;
  readonly properties: readonly BodyProperty[];
}

export interface BodyProperty {
  readonly field: string;
  /** The property is sent under this name, which may differ from the field. */
  readonly name: string;
  /** Whether the value is a file or a list of files: `{ base64 }` or `{ text }`, with `fileName` and `mediaType`. */
  readonly file: 'one' | 'list' | undefined;
  /** The media type of a part of a multipart body, from `encoding`. */
  readonly mediaType: string | undefined;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  readonly schema: JsonSchemaObject;
}

/** Security schemes that must all be satisfied. */
export type SecurityAlternative = readonly RequiredScheme[];

export interface RequiredScheme {
  readonly scheme: SecurityScheme;
  readonly scopes: readonly string[];
}

/** A security scheme, as the specification declares it. */
export interface SecurityScheme {
  /** Name of the scheme in the specification. It is also the key in `credentials`. */
  readonly id: string;
  /** The kind of scheme, in the terms of OpenAPI. */
  readonly type: 'apiKey' | 'http' | 'oauth2' | 'openIdConnect' | 'mutualTLS';
  /** The part of the request that carries an API key. `undefined` for other types. */
  readonly in: 'query' | 'header' | 'cookie' | undefined;
  /** The header, cookie or query parameter that carries an API key. `undefined` for other types. */
  readonly name: string | undefined;
  /** The authentication scheme of the type `http`, in lower case: `bearer` or `basic`. */
  readonly scheme: string | undefined;
}
