import { ToolRegistry } from 'toolfold';
import { fromOpenAPI, importSpecification } from '../src/from-openapi.js';
import type { ImportedAction } from '../src/from-openapi.js';
import { readOptions } from '../src/options.js';
import type { FromOpenAPIOptions } from '@toolfold/openapi';
import type { RequestPlan } from '../src/request-plan.js';
import { isJsonObject } from '@toolfold/schema/internal';
import { ApiServer } from './api-server.js';
import { MockApi } from './mock-api.js';
import { sampleOf } from './sample.js';

type Spec = Record<string, unknown>;
type Input = Record<string, unknown>;

/** How the calls of one specification went. */
export interface CallReport {
  readonly operations: number;
  readonly actions: number;
  readonly skipped: readonly string[];
  /** Operations of which a call arrived as the specification demands, and was answered. */
  readonly valid: number;
  /** Operations of which no call was valid, with the problem of the last attempt. */
  readonly invalid: readonly string[];
  /** Values that arrived differently from the input, in any attempt. */
  readonly changed: readonly string[];
}

const BASE_PATH = '/base/v1';
/** Inputs that are tried for each operation: some are not valid, because offered schemas are simpler than those of the API. */
const ATTEMPTS = 40;

/** Calls every operation of a specification against a mock of the API. */
export async function callEveryOperation(
  specification: Spec,
  more: FromOpenAPIOptions = {},
): Promise<CallReport> {
  const mock = new MockApi(specification, BASE_PATH);
  await using server = await ApiServer.start(mock.answer);
  const local = withServer(specification, `${server.origin}${BASE_PATH}`);
  const skipped: string[] = [];
  const options: FromOpenAPIOptions = {
    baseUrl: `${server.origin}${BASE_PATH}`,
    scopes: false,
    credentials: ({ scheme }) => (scheme === 'basic' ? { username: 'user', password: 'pass' } : 'credential'),
    onSkipped: (operation, reason) => void skipped.push(`${operation}: ${reason}`),
    ...more,
  };
  const { groups } = importSpecification(local, readOptions(options));
  const actions = [...groups.values()].flatMap((group) => group.actions);
  const registry = new ToolRegistry();
  for (const builder of fromOpenAPI(local, { ...options, onSkipped: () => undefined }))
    registry.register(builder);
  const invalid: string[] = [];
  const changed: string[] = [];
  for (const action of actions) {
    const problem = await callUntilValid(action, { registry, mock, changed });
    if (problem !== undefined) invalid.push(`${action.plan.method} ${action.plan.path}: ${problem}`);
  }
  return {
    operations: mock.operations.length,
    actions: actions.length,
    skipped,
    valid: actions.length - invalid.length,
    invalid,
    changed,
  };
}

/** Sends all requests to one server. */
function withServer(specification: Spec, url: string): Spec {
  const { host: _, basePath: __, schemes: ___, ...copy } = structuredClone(specification);
  for (const item of Object.values(copy['paths'] as Record<string, Spec>)) {
    delete item['servers'];
    for (const operation of Object.values(item)) if (isJsonObject(operation)) delete operation['servers'];
  }
  return { ...copy, servers: [{ url }] };
}

interface Setting {
  readonly registry: ToolRegistry;
  readonly mock: MockApi;
  readonly changed: string[];
}

/** Returns the problem of the last attempt, or `undefined` if one was valid. */
async function callUntilValid(action: ImportedAction, setting: Setting): Promise<string | undefined> {
  const { registry, mock, changed } = setting;
  const { plan, definition, group } = action;
  const label = `${plan.method} ${plan.path}`;
  const schema = definition.inputSchema ?? {};
  let problem: string | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    // Inputs with few fields are more often valid.
    const input = withFiles(
      plan,
      sampleOf(schema, { root: schema, seed: attempt, least: attempt % 4 !== 1 }) as Input,
    );
    mock.expected = label;
    mock.matched = undefined;
    const result = await registry.executeTool({
      name: group,
      arguments: { ...input, action: definition.name },
    });
    const report = Object(result._meta?.['toolfold/error']) as { code?: string; message?: string };
    if (mock.matched === undefined) {
      problem = `nothing was sent: ${report.message}`;
      continue;
    }
    if (mock.matched !== label) return `arrived as ${mock.matched}`;
    changed.push(...differences(plan, input, mock).map((difference) => `${label} ${difference}`));
    if (mock.problems.length === 0) return result.isError === true ? `failed: ${report.message}` : undefined;
    problem = mock.problems.join('; ');
  }
  return problem;
}

/** A file is either text or Base64, which a JSON Schema for models does not say. */
function withFiles({ body }: RequestPlan, input: Input): Input {
  const file = { text: 'content', fileName: 'file.txt', mediaType: 'text/plain' };
  const files = (body?.properties ?? []).flatMap(({ field, file: kind }) =>
    kind === undefined || input[field] === undefined
      ? []
      : [[field, kind === 'one' ? file : [file]] as const],
  );
  const whole =
    body?.kind === 'binary' && body.wholeField !== undefined ? [[body.wholeField, file] as const] : [];
  return { ...input, ...Object.fromEntries([...files, ...whole]) };
}

/** The parameters that the mock read differently from the input. */
function differences({ parameters }: RequestPlan, input: Input, { parsed }: MockApi): string[] {
  return parameters.flatMap(({ place, name, field, style, explode }) => {
    const isDeep = style === 'deepObject';
    const expected = toTexts(input[field], isDeep);
    // The names of an exploded object are names in the query, and nothing says which object they belong to.
    const isObject = isJsonObject(input[field]);
    if (isEmpty(expected) || (isObject && style === 'form' && explode)) return [];
    const received = toTexts(parsed.get(`${place} ${name}`), isDeep);
    // A schema that allows text and a list of texts does not say which of them one text is.
    const sameForms = Array.isArray(received) && typeof expected === 'string' ? [expected] : expected;
    // HTTP removes blank space around the value of a header.
    const trimmed = place === 'header' && typeof sameForms === 'string' ? sameForms.trim() : sameForms;
    if (JSON.stringify(received) === JSON.stringify(trimmed)) return [];
    return [`${place} ${name}: ${JSON.stringify(input[field])} arrived as ${JSON.stringify(received)}`];
  });
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** Values as the text of a parameter: without null, with numbers as text, and with nested lists and objects as JSON, except in deep objects. */
function toTexts(value: unknown, isDeep = false): unknown {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object') return String(value);
  const inner = (each: unknown): unknown =>
    typeof each === 'object' && each !== null && !isDeep ? JSON.stringify(each) : toTexts(each, isDeep);
  if (Array.isArray(value)) return value.map(inner).filter((item) => item !== undefined);
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, each]) => [key, inner(each)] as const)
      .filter(([, each]) => each !== undefined),
  );
}
