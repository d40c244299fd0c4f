import type { ToolContext } from 'toolfold';
import { neverSignal } from 'toolfold/internal';
import type {
  BodyPlan,
  BodyProperty,
  ParameterPlan,
  RequestPlan,
  SecurityScheme,
} from '../src/request-plan.js';
import { createSender } from '../src/send/sender.js';
import type { SendRequest } from '../src/send/sender.js';
import { readRequestSettings } from '../src/send/settings.js';
import type { SendOptions } from '@toolfold/openapi';

/** A plan with defaults for everything that a test does not care about. */
export function planOf(plan: Partial<RequestPlan> = {}): RequestPlan {
  return {
    method: 'GET',
    path: '/things',
    parameters: [],
    body: undefined,
    accept: 'application/json',
    security: [],
    ...plan,
  };
}

const defaultStyles = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const;

export function parameterOf(
  place: ParameterPlan['place'],
  name: string,
  parameter: Partial<ParameterPlan> = {},
): ParameterPlan {
  const style = parameter.style ?? defaultStyles[place];
  return {
    field: name,
    name,
    place,
    style,
    explode: style === 'form',
    allowReserved: false,
    required: place === 'path',
    mediaType: undefined,
    schema: {},
    ...parameter,
  };
}

export function bodyOf(kind: BodyPlan['kind'], mediaType: string, body: Partial<BodyPlan> = {}): BodyPlan {
  return { kind, mediaType, required: true, wholeField: undefined, properties: [], ...body };
}

export function propertyOf(name: string, property: Partial<BodyProperty> = {}): BodyProperty {
  return {
    field: name,
    name,
    file: undefined,
    mediaType: undefined,
    style: 'form',
    explode: true,
    allowReserved: false,
    schema: {},
    ...property,
  };
}

export function schemeOf(id: string, scheme: Partial<SecurityScheme> = {}): SecurityScheme {
  return { id, type: 'http', in: undefined, name: undefined, scheme: 'bearer', ...scheme };
}

/** The parts of a context that requests read. */
export function contextOf(
  context: Partial<Pick<ToolContext, 'session' | 'caller' | 'signal' | 'accessToken'>> = {},
): ToolContext {
  return { session: {}, caller: {}, signal: neverSignal(), ...context } as ToolContext;
}

/** A sender to a base address that the operator trusts, as tests with servers on this machine need it. */
export function senderTo(baseUrl: string, options: SendOptions = {}): SendRequest {
  return createSender(readRequestSettings(options, { isBaseTrusted: true }), new URL(baseUrl));
}
