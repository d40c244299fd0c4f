import type { ToolCall } from 'toolfold';
import { anything, assertOptions, flag, text } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import { readBaseUrl } from './options.js';
import { kindOf } from './plan/media-types.js';
import type {
  BodyPlan,
  BodyProperty,
  ParameterPlan,
  ParameterStyle,
  RequestPlan,
  SecurityScheme,
} from './request-plan.js';
import { createSender } from './send/sender.js';
import { readRequestSettings, sendRules } from './send/settings.js';
import type { SendOptions } from './send/settings.js';

/** How a value is written. The defaults are those of OpenAPI. */
interface ApiSerialization {
  /** The style of OpenAPI. Default: `simple` in paths and headers, else `form`. */
  readonly style?: ParameterStyle;
  /** Whether each item of a list, and each property of an object, is written on its own. Default: only for `form`. */
  readonly explode?: boolean;
  /** Whether reserved characters are sent unescaped. Default: false. */
  readonly allowReserved?: boolean;
  /** The media type in which the value is written. Default: none. */
  readonly mediaType?: string;
}

/** Sends a field of the input as a parameter of the request. */
export interface ApiParameter extends ApiSerialization {
  /** The field of the input that holds the value. */
  readonly field: string;
  /** The part of the request that carries the value. */
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  /** The name in the request. Default: the name of the field. */
  readonly name?: string;
  /** The JSON type of the value, by which the next page is described. Default: any. */
  readonly type?: string;
}

/** Sends a field of the input as a property of the body. */
export interface ApiProperty extends ApiSerialization {
  /** The field of the input that holds the value. */
  readonly field: string;
  /** The name in the body. Default: the name of the field. */
  readonly name?: string;
  /** Whether the value is a file, or a list of files. Default: neither. */
  readonly file?: 'one' | 'list';
}

/** Describes how the body of a request is written. */
export interface ApiBody {
  /** The `Content-Type` of the request. It decides how the body is written. */
  readonly mediaType: string;
  /** Whether a body is sent without any of its fields. Default: false. */
  readonly required?: boolean;
  /** The field of the input that is the whole body. Default: none. */
  readonly field?: string;
  /** The properties of the body: the name of a field, or more about it. Default: none. */
  readonly properties?: readonly (string | ApiProperty)[];
}

/** A security scheme of the API, as its specification describes it. */
export type ApiScheme = Pick<SecurityScheme, 'id' | 'type'> &
  Partial<Pick<SecurityScheme, 'in' | 'name' | 'scheme'>>;

/** Describes a request to an API, and where each field of the input goes. */
export interface ApiRequest {
  /** The HTTP method in upper case, such as `POST`. */
  readonly method: string;
  /** The path with its placeholders, such as `/tickets/{id}`. */
  readonly path: string;
  /** The parameters. Default: none. */
  readonly parameters?: readonly ApiParameter[];
  /** The body. Default: none. */
  readonly body?: ApiBody;
  /** The value of the `Accept` header. Default: `application/json`. */
  readonly accept?: string;
  /** Alternative lists of security schemes, whose credentials are sent. Default: none. */
  readonly security?: readonly (readonly ApiScheme[])[];
}

/**
 * A handler that sends a request. Its value has the type of an object, because output schemas describe objects; without an output
 * schema it may also be text, a list or content.
 */
export type ApiHandler = (
  call: Pick<ToolCall, 'input' | 'context'>,
) => Promise<Readonly<Record<string, unknown>>>;

const rules: Rules<keyof ApiRequest> = {
  method: [
    (value) => typeof value === 'string' && /^[A-Z]{3,10}$/.test(value),
    'an HTTP method in upper case',
  ],
  path: [(value) => typeof value === 'string' && value.startsWith('/'), 'a path that begins with /'],
  parameters: [Array.isArray, 'a list of parameters'],
  body: anything,
  accept: text,
  security: [
    (value) => Array.isArray(value) && value.every(Array.isArray),
    "a list of lists of security schemes, such as [[{ id: 'key', type: 'http', scheme: 'bearer' }]]",
  ],
};
const schemeRules: Rules<keyof ApiScheme> = { id: text, type: text, in: text, name: text, scheme: text };
const parameterRules: Rules<keyof ApiParameter> = {
  field: text,
  in: [
    (value) => value === 'path' || value === 'query' || value === 'header' || value === 'cookie',
    'path, query, header or cookie',
  ],
  name: text,
  type: text,
  style: text,
  explode: flag,
  allowReserved: flag,
  mediaType: text,
};
const bodyRules: Rules<keyof ApiBody> = {
  mediaType: [
    (value) => typeof value === 'string' && kindOf(value) !== undefined,
    'a media type that can be sent',
  ],
  required: flag,
  field: text,
  properties: [Array.isArray, 'a list of fields'],
};

/** Makes handlers that send requests to an API. Use it in definitions that `toolfold openapi --eject` wrote or that you write yourself. */
export function apiRequests(
  baseUrl: string | URL,
  options: SendOptions = {},
): (request: ApiRequest) => ApiHandler {
  assertOptions('apiRequests', options, sendRules);
  const base = readBaseUrl(baseUrl, 'apiRequests: baseUrl');
  const send = createSender(readRequestSettings(options, { isBaseTrusted: true }), base);
  return (request) => {
    const plan = toPlan(request);
    return ({ input, context }) => send(plan, input, context) as ReturnType<ApiHandler>;
  };
}

function toPlan(request: ApiRequest): RequestPlan {
  assertOptions('An API request', request, rules, { required: ['method', 'path'] });
  const { method, path, parameters = [], body, accept = 'application/json', security = [] } = request;
  return {
    method,
    path,
    parameters: parameters.map(toParameter),
    body: body && toBody(body),
    accept,
    security: security.map((alternative) =>
      alternative.map((given) => {
        assertOptions('A security scheme of an API request', given, schemeRules, {
          required: ['id', 'type'],
        });
        const { id, type, in: place, name, scheme } = given;
        return { scheme: { id, type, in: place, name, scheme }, scopes: [] };
      }),
    ),
  };
}

function toParameter(parameter: ApiParameter): ParameterPlan {
  assertOptions('A parameter of an API request', parameter, parameterRules, { required: ['field', 'in'] });
  const { field, in: place, name = field, type } = parameter;
  const byDefault = place === 'path' || place === 'header' ? 'simple' : 'form';
  return {
    ...toSerialization(parameter, byDefault),
    field,
    name,
    place,
    required: place === 'path',
    schema: type === undefined ? {} : { type },
  };
}

function toSerialization(
  { style: given, explode, allowReserved = false, mediaType }: ApiSerialization,
  byDefault: ParameterStyle,
): Pick<ParameterPlan, 'style' | 'explode' | 'allowReserved' | 'mediaType'> {
  const style = given ?? byDefault;
  return { style, explode: explode ?? style === 'form', allowReserved, mediaType };
}

function toBody(body: ApiBody): BodyPlan {
  assertOptions('The body of an API request', body, bodyRules, { required: ['mediaType'] });
  const { mediaType, field, properties = [] } = body;
  return {
    mediaType,
    kind: kindOf(mediaType) ?? 'binary',
    required: body.required === true,
    wholeField: field,
    properties: properties.map((given): BodyProperty => {
      const property = typeof given === 'string' ? { field: given } : given;
      const { name = property.field, file } = property;
      return { ...toSerialization(property, 'form'), field: property.field, name, file, schema: {} };
    }),
  };
}
