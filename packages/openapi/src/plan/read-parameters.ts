import { isJsonObject } from '@toolfold/schema/internal';
import type { ParameterPlan, ParameterStyle, SecurityAlternative } from '../request-plan.js';
import type { SpecOperation } from '../read/list-operations.js';
import type { SpecObject } from '../read/read-document.js';
import { entriesOf, NotOffered, resolveObject } from '../read/resolve.js';
import { isOwnHeader } from '../send/headers.js';

export interface ReadParameter extends Omit<ParameterPlan, 'field' | 'schema'> {
  readonly schema: unknown;
  readonly description: unknown;
}

const places = new Set(['path', 'query', 'header', 'cookie']);

const styles: Readonly<Record<ParameterPlan['place'], readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** Reads the parameters of an operation. Optional deprecated ones, and those that carry credentials, are left out. */
export function readParameters(
  document: SpecObject,
  operation: SpecOperation,
  security: readonly SecurityAlternative[],
): ReadParameter[] {
  const found = new Map<string, ReadParameter>();
  const placeholders = new Set([...operation.path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name));
  for (const given of operation.parameters) {
    const parameter = readParameter(document, resolveObject(document, given));
    if (!parameter) continue;
    const { name, place } = parameter;
    const key = `${place} ${place === 'header' ? name.toLowerCase() : name}`;
    found.delete(key);
    if (place === 'path' ? placeholders.has(name) : !isCredential(parameter, security))
      found.set(key, parameter);
  }
  for (const name of placeholders) {
    if (!found.has(`path ${name}`)) found.set(`path ${name}`, undeclared(name));
  }
  const isPath = ({ place }: ReadParameter): boolean => place === 'path';
  const all = [...found.values()];
  return [...all.filter(isPath), ...all.filter((parameter) => !isPath(parameter))];
}

function readParameter(document: SpecObject, given: SpecObject): ReadParameter | undefined {
  const { name, in: place, required, deprecated, description } = given;
  if (typeof name !== 'string' || name === '') return undefined;
  const isRequired = required === true || place === 'path';
  if (typeof place !== 'string' || !places.has(place)) {
    if (isRequired) throw new NotOffered(`has a required parameter in ${JSON.stringify(place)}`);
    return undefined;
  }
  if (place === 'header' && isOwnHeader(name)) return undefined;
  if (deprecated === true && !isRequired) return undefined;
  return {
    name,
    place: place as ParameterPlan['place'],
    required: isRequired,
    description,
    ...readForm(document, given, place as ParameterPlan['place']),
  };
}

function readForm(
  document: SpecObject,
  given: SpecObject,
  place: ParameterPlan['place'],
): Pick<ReadParameter, 'style' | 'explode' | 'allowReserved' | 'mediaType' | 'schema'> {
  const { style: wanted, explode, allowReserved, content, schema } = given;
  const [byDefault = 'simple', ...others] = styles[place];
  const style = others.find((each) => each === wanted) ?? byDefault;
  const [[mediaType, media] = [undefined, undefined]] = entriesOf(content);
  return {
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form',
    allowReserved: allowReserved === true,
    mediaType,
    schema: isJsonObject(media) ? resolveObject(document, media)['schema'] : schema,
  };
}

/** Makes a parameter for a placeholder of the path that the specification does not declare. */
function undeclared(name: string): ReadParameter {
  return {
    name,
    place: 'path',
    style: 'simple',
    explode: false,
    allowReserved: false,
    required: true,
    mediaType: undefined,
    schema: { type: 'string' },
    description: undefined,
  };
}

/** Whether a parameter carries an API key, which comes from `credentials` and never from a model. */
function isCredential({ name, place }: ReadParameter, security: readonly SecurityAlternative[]): boolean {
  const isSame = (other: string | undefined): boolean =>
    place === 'header' ? other?.toLowerCase() === name.toLowerCase() : other === name;
  return security.flat().some(({ scheme }) => scheme.in === place && isSame(scheme.name));
}
