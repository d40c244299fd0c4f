import { assertPlain } from '@toolfold/schema/internal';
import { ErrInvalidOptions } from 'toolfold/errors';
import { importSpecification } from '../from-openapi.js';
import type { ImportedAction, ImportedSpecification } from '../from-openapi.js';
import { wordsOf } from '../names/words.js';
import { readOptions } from '../options.js';
import type { FromOpenAPIOptions } from '../options.js';
import { kindOf } from '../plan/media-types.js';
import type { BodyPlan, BodyProperty, ParameterPlan, RequestPlan, SecurityScheme } from '../request-plan.js';
import { Code, writeLiteral, writeText } from './write-literal.js';

/** Written in two parts because only the ejected code runs on Node; this file runs anywhere. */
const ENVIRONMENT = ['process', 'env'].join('.');

/** Names the variable of the function that sends requests. */
const REQUEST = 'request';

/** Configures `ejectOpenAPI`. Credentials come from environment variables of the ejected code. */
export interface EjectOpenAPIOptions extends Omit<FromOpenAPIOptions, 'credentials' | 'headers' | 'fetch'> {
  /** The environment variables of credentials, by the name of the security scheme. Default: the name in capitals. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Writes the actions of a specification as TypeScript: one file for each group, `request.ts`, which sends the requests, and
 * `registry.ts`. Returns the text of each file by its name.
 */
export function ejectOpenAPI(spec: object | string, given: EjectOpenAPIOptions = {}): Map<string, string> {
  assertPlain('ejectOpenAPI', given);
  const { environment = {}, ...options } = given;
  assertPlain('ejectOpenAPI: environment', environment);
  const imported = importSpecification(spec, readOptions(options));
  const servers = serversOf(imported);
  const names = groupNames([...imported.groups.keys()]);
  const schemes = schemesOf(imported, new Set([...names.values()].map(({ variable }) => variable)));
  const files = new Map<string, string>([
    ['request.ts', writeRequests(servers, schemes, environment, options)],
  ]);
  for (const [group, { description, actions }] of imported.groups) {
    const { file, variable } = names.get(group) as GroupName;
    files.set(file, writeGroup(group, variable, description, actions, { servers, schemes }));
  }
  files.set('registry.ts', writeRegistry(imported, [...names.values()]));
  return files;
}

function allActions({ groups }: ImportedSpecification): ImportedAction[] {
  return [...groups.values()].flatMap(({ actions }) => actions);
}

/** Maps each base address to the variable of the function that sends its requests. Most specifications have one address. */
function serversOf(imported: ImportedSpecification): Map<string, string> {
  const found = new Map([[imported.baseUrl.href, REQUEST]]);
  for (const { server } of allActions(imported))
    if (!found.has(server.href)) found.set(server.href, `${REQUEST}${found.size + 1}`);
  return found;
}

interface Shared {
  readonly servers: ReadonlyMap<string, string>;
  readonly schemes: Schemes;
}

interface GroupName {
  readonly file: string;
  readonly variable: string;
}

const reserved = new Set(
  'await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public registry request return static super switch this throw true try typeof var void while with yield'.split(
    ' ',
  ),
);

function groupNames(groups: readonly string[]): Map<string, GroupName> {
  const taken = new Set<string>(['request.ts', 'registry.ts']);
  const variables = new Set<string>();
  return new Map(
    groups.map((group) => {
      const camel = toCamel(group);
      let variable = camel;
      while (reserved.has(variable) || variables.has(variable) || /^request\d+$/.test(variable))
        variable += 'Tools';
      variables.add(variable);
      const base = group.toLowerCase().replaceAll('_', '-');
      const file = taken.has(`${base}.ts`) ? `${base}-tools.ts` : `${base}.ts`;
      taken.add(file);
      return [group, { file, variable }];
    }),
  );
}

function toCamel(name: string): string {
  const [first = 'x', ...rest] = wordsOf(name);
  const camel = first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^\d/.test(camel) ? `_${camel}` : camel;
}

function schemesOf(
  imported: ImportedSpecification,
  groups: ReadonlySet<string>,
): Map<string, { scheme: SecurityScheme; variable: string }> {
  const found = new Map<string, { scheme: SecurityScheme; variable: string }>();
  const taken = new Set<string>([...reserved, ...groups, 'settings']);
  for (const { plan } of allActions(imported))
    for (const { scheme } of plan.security.flat()) {
      if (found.has(scheme.id)) continue;
      let variable = toCamel(scheme.id);
      while (taken.has(variable) || /^request\d+$/.test(variable)) variable += 'Scheme';
      taken.add(variable);
      found.set(scheme.id, { scheme, variable });
    }
  return found;
}

type Schemes = ReturnType<typeof schemesOf>;

function writeRequests(
  servers: ReadonlyMap<string, string>,
  schemes: Schemes,
  environment: Readonly<Record<string, string>>,
  { timeoutMs, maxRequestBytes, maxResponseBytes }: EjectOpenAPIOptions,
): string {
  const variableOf = (id: string): string =>
    environment[id] ?? (wordsOf(id).join('_').toUpperCase() || 'API_KEY');
  const credentials = Object.fromEntries(
    [...schemes.keys()].map((id) => [id, new Code(`${ENVIRONMENT}[${writeText(variableOf(id))}]`)]),
  );
  const settings = {
    credentials: schemes.size > 0 ? credentials : undefined,
    timeoutMs,
    maxRequestBytes,
    maxResponseBytes,
  };
  const declared = [...schemes.values()].map(
    ({ scheme, variable }) => `export const ${variable}: ApiScheme = ${writeLiteral(scheme)};\n`,
  );
  return [
    "import { apiRequests } from '@toolfold/openapi';\n",
    schemes.size > 0 ? "import type { ApiScheme } from '@toolfold/openapi';\n" : '',
    `\nconst settings = ${writeLiteral(settings)};\n`,
    ...[...servers].map(
      ([address, variable]) =>
        `\n/** Makes a handler that sends a request to the API. */\nexport const ${variable} = apiRequests(${writeText(address)}, settings);\n`,
    ),
    ...(declared.length > 0 ? ['\n', ...declared] : []),
  ].join('');
}

function writeGroup(
  group: string,
  variable: string,
  description: string,
  actions: readonly ImportedAction[],
  { servers, schemes }: Shared,
): string {
  const used = new Set(actions.flatMap(({ plan }) => plan.security.flat().map(({ scheme }) => scheme.id)));
  const requests = new Set(actions.map(({ server }) => servers.get(server.href) ?? REQUEST));
  const imported = [...requests, ...[...used].map((id) => schemes.get(id)?.variable ?? '')];
  const head = [
    "import { GroupedToolBuilder } from 'toolfold';",
    `import { ${imported.join(', ')} } from './request.js';`,
    '',
    `export const ${variable} = new GroupedToolBuilder(${writeText(group)}).description(${writeText(description)});`,
  ];
  const written = actions.map(
    (action) => `\n${variable}.action(${writeLiteral(toFields(action, { servers, schemes }))});\n`,
  );
  return `${head.join('\n')}\n${written.join('')}`;
}

function toFields({ definition, plan, server }: ImportedAction, { servers, schemes }: Shared): object {
  for (const [field, value] of Object.entries(definition))
    if (containsFunction(value))
      throw new ErrInvalidOptions(`The field "${field}" of the action "${definition.name}" is a function.`, {
        hint: 'Add functions to the ejected file instead of transform.',
      });
  const { tags = [], scopes = [], ...rest } = definition;
  return {
    ...rest,
    ...(tags.length > 0 ? { tags } : {}),
    ...(scopes.length > 0 ? { scopes } : {}),
    handler: new Code(
      `${servers.get(server.href) ?? REQUEST}(${writeLiteral(toRequest(plan, schemes), '  ')})`,
    ),
  };
}

function containsFunction(value: unknown): boolean {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(containsFunction);
}

/** Leaves out every field that equals its default. */
function toRequest(
  { method, path, parameters, body, accept, security }: RequestPlan,
  schemes: Schemes,
): object {
  return {
    method,
    path,
    parameters: parameters.length > 0 ? parameters.map(toParameter) : undefined,
    body: body && toBody(body),
    accept: accept === 'application/json' ? undefined : accept,
    security:
      security.length > 0
        ? security.map((each) => each.map(({ scheme }) => new Code(schemes.get(scheme.id)?.variable ?? '')))
        : undefined,
  };
}

function toParameter({ field, name, place, schema, style, ...parameter }: ParameterPlan): object {
  const byDefault = place === 'path' || place === 'header' ? 'simple' : 'form';
  const type = schema['type'];
  return {
    field,
    in: place,
    name: name === field ? undefined : name,
    type: type === 'integer' || type === 'number' ? type : undefined,
    ...toSerialization({ style, ...parameter }, byDefault),
  };
}

function toSerialization(
  {
    style,
    explode,
    allowReserved,
    mediaType,
  }: Pick<ParameterPlan, 'style' | 'explode' | 'allowReserved' | 'mediaType'>,
  byDefault: string,
): object {
  return {
    style: style === byDefault ? undefined : style,
    explode: explode === (style === 'form') ? undefined : explode,
    allowReserved: allowReserved || undefined,
    mediaType,
  };
}

function toBody({ mediaType, kind, required, wholeField, properties }: BodyPlan): object {
  if (kindOf(mediaType) !== kind) throw new ErrInvalidOptions(`A body of ${mediaType} cannot be ejected.`);
  return {
    mediaType,
    required: required || undefined,
    field: wholeField,
    properties: properties.length > 0 ? properties.map(toProperty) : undefined,
  };
}

function toProperty({ field, name, file, ...property }: BodyProperty): unknown {
  const written = {
    field,
    name: name === field ? undefined : name,
    file,
    ...toSerialization(property, 'form'),
  };
  const isPlain = Object.entries(written).every(([key, value]) => key === 'field' || value === undefined);
  return isPlain ? field : written;
}

function writeRegistry({ title }: ImportedSpecification, groups: readonly GroupName[]): string {
  const imports = groups.map(
    ({ file, variable }) => `import { ${variable} } from './${file.replace(/\.ts$/, '.js')}';`,
  );
  const name = wordsOf(title).join('-') || 'api';
  return [
    "import { ToolRegistry } from 'toolfold';",
    ...imports,
    '',
    `export const registry = new ToolRegistry({ name: ${writeText(name)} });`,
    '',
    `registry.register([${groups.map(({ variable }) => variable).join(', ')}]);`,
    '',
  ].join('\n');
}
