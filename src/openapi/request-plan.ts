import type { JsonSchemaObject } from '../values/json-schema.js';

/**
 * How the flat input of an action becomes an HTTP request. A plan is made once from the specification; sending a request only
 * reads it.
 */
export interface RequestPlan {
  /** The HTTP method in upper case. */
  readonly method: string;
  /** The path with its placeholders, such as `/repos/{owner}/{repo}`. */
  readonly path: string;
  readonly parameters: readonly ParameterPlan[];
  readonly body: BodyPlan | undefined;
  /** The value of the `Accept` header. */
  readonly accept: string;
  /** Alternatives: the first one whose credentials are all known is used. An empty alternative needs no credentials. */
  readonly security: readonly SecurityAlternative[];
}

/** One parameter of an operation. */
export interface ParameterPlan {
  /** The field of the flat input. */
  readonly field: string;
  /** The name in the request. */
  readonly name: string;
  readonly place: 'path' | 'query' | 'header' | 'cookie';
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  readonly required: boolean;
  /** For a parameter with `content`: the media type in which its value is written. */
  readonly mediaType: string | undefined;
  readonly schema: JsonSchemaObject;
}

/** How the value of a parameter is written, as OpenAPI names it. */
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

/** A property of a body that is a field of the flat input. */
export interface BodyProperty {
  /** The field of the flat input. */
  readonly field: string;
  /** The name in the body. */
  readonly name: string;
  /** Whether the value is a file, or a list of files: `{ base64 }` or `{ text }`, with `fileName` and `mediaType`. */
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

/** A security scheme of the specification. */
export interface SecurityScheme {
  /** The name of the scheme in the specification. */
  readonly id: string;
  /** The type of the scheme, as OpenAPI names it. */
  readonly type: 'apiKey' | 'http' | 'oauth2' | 'openIdConnect' | 'mutualTLS';
  /** Where an API key is sent. */
  readonly in: 'query' | 'header' | 'cookie' | undefined;
  /** The name of the header, the cookie or the query parameter of an API key. */
  readonly name: string | undefined;
  /** The scheme of `http`, in lower case: `bearer` or `basic`. */
  readonly scheme: string | undefined;
}
