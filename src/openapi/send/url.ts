import { ErrToolFailed } from '../../errors.js';
import type { ParameterPlan, RequestPlan } from '../request-plan.js';
import { encodeText, invalidArgument, isMissing, writePairs, writePathValue } from './serialize.js';
import type { Pair } from './serialize.js';

type Input = Readonly<Record<string, unknown>>;

const own = (input: Input, field: string): unknown =>
  Object.hasOwn(input, field) ? input[field] : undefined;

/** The parameters of one place that the input has, with their values. */
export function givenParameters(
  { parameters }: RequestPlan,
  place: ParameterPlan['place'],
  input: Input,
): (readonly [parameter: ParameterPlan, value: unknown])[] {
  return parameters
    .filter((parameter) => parameter.place === place)
    .map((parameter) => [parameter, own(input, parameter.field)] as const)
    .filter(([, value]) => !isMissing(value));
}

/**
 * The address of a request. Its origin is that of the base address, and its path is the path of the plan below the base address,
 * whatever the arguments are.
 */
export function buildUrl(baseUrl: URL, plan: RequestPlan, input: Input, credentials: readonly Pair[]): URL {
  const [template = '', fixedQuery = ''] = plan.path.replace(/#.*$/s, '').split(/\?(.*)/s);
  const base = baseUrl.pathname.replace(/\/+$/, '');
  const path = `${base}/${fillTemplate(template.replace(/^\/+/, ''), plan, input)}`;
  const pairs = givenParameters(plan, 'query', input).flatMap(([parameter, value]) => {
    const written = writePairs(parameter, value);
    const taken = written.find(([name]) => credentials.some(([reserved]) => reserved === name));
    if (taken)
      throw invalidArgument(parameter.field, `"${decodeURIComponent(taken[0])}" is the name of a credential`);
    return written;
  });
  const query = [fixedQuery, ...[...pairs, ...credentials].map((pair) => pair.join('='))]
    .filter((part) => part !== '')
    .join('&');
  const written = `${path}${query === '' ? '' : `?${query}`}`;
  const url = new URL(baseUrl.origin + written);
  // The parser of URLs removes dot segments and escapes. A path that it changed is not the path of the operation.
  if (url.origin !== baseUrl.origin || url.pathname !== path || url.username !== '' || url.password !== '')
    throw new ErrToolFailed('The path of the operation leads outside of the base address.', {
      hint: 'Check the arguments that are part of the path.',
      details: { path: plan.path },
    });
  return url;
}

/** Replaces the placeholders of a path. */
function fillTemplate(template: string, plan: RequestPlan, input: Input): string {
  return template
    .split(/(\{[^{}]*\})/)
    .map((part, index) => (index % 2 === 0 ? encodeLiteral(part) : fill(part.slice(1, -1), plan, input)))
    .join('');
}

/** Keeps the characters that a path may contain, and encodes all others. */
function encodeLiteral(text: string): string {
  return text.replace(/[^\w\-.~!$&'()*+,;=:@/%]+/g, encodeText);
}

/** A placeholder may repeat the style of its parameter, as in `{;id*}`. */
function fill(placeholder: string, plan: RequestPlan, input: Input): string {
  const name = placeholder.replace(/^[.;+#/]|\*$/g, '');
  const isThis = (parameter: ParameterPlan): boolean => parameter.place === 'path' && parameter.name === name;
  const parameter = plan.parameters.find(isThis);
  if (!parameter)
    throw new ErrToolFailed(
      `The path of the operation has the placeholder {${name}}, but no such parameter.`,
      {
        hint: 'The specification must be corrected.',
        details: { path: plan.path },
      },
    );
  const value = own(input, parameter.field);
  const { field } = parameter;
  if (isMissing(value)) throw invalidArgument(field, 'is required, because it is part of the path');
  assertHarmless(field, value);
  const text = writePathValue(parameter, value);
  if (text === '') throw invalidArgument(field, 'must not be empty, because it is part of the path');
  return text;
}

/** Rejects values that a server could read as another path after it has decoded them. */
function assertHarmless(field: string, value: unknown): void {
  const texts = typeof value === 'object' ? [JSON.stringify(value)] : [String(value)];
  for (const text of texts) {
    if (text.includes('\0') || text.includes('\\u0000'))
      throw invalidArgument(field, 'must not contain the character NUL, because it is part of the path');
    if (typeof value === 'string' && text.split(/[\\/]/).some((part) => part === '.' || part === '..'))
      throw invalidArgument(field, 'must not contain "." or ".." as a part of the path');
  }
}
