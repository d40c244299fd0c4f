import { writeJson } from '../../../ui/json/exact-number.js';
import { isRecord } from '../form/json.js';
import type { GivenAnswer } from '../../../mcp/call.js';
import { EXAMPLE_FILE } from './copied-call.js';
import type { CopiedCall } from './copied-call.js';

type Fields = Readonly<Record<string, unknown>>;

/** Returns a vitest test that repeats the call and expects the same result. */
export function toTest(call: CopiedCall): string {
  const { address, input, result, failure, asTask } = call;
  const options = toOptions(call);
  const opening =
    options === undefined ? 'createTestClient(registry)' : `createTestClient(registry, ${options})`;
  const task = asTask === true ? ', { task: true }' : '';
  const run = `client.call(${toLiteral(address)}, ${toLiteral(input, 2)}${task})`;
  const isError = result?.['isError'] === true;
  return [
    "import { createTestClient } from '@toolfold/testing';",
    ...(isError ? ["import '@toolfold/testing/vitest';"] : []),
    "import { expect, it } from 'vitest';",
    `import { registry } from ${toLiteral(moduleOf(call))};`,
    '',
    `it(${toLiteral(titleOf(call))}, async () => {`,
    `  await using client = await ${opening};`,
    ...(failure === undefined
      ? [`  const result = await ${run};`, ...expectations(result)]
      : [`  await expect(${run}).rejects.toThrow(${toLiteral(failure)});`]),
    '});',
    '',
  ].join('\n');
}

function titleOf({ address, result, failure }: CopiedCall): string {
  if (failure !== undefined) return `${address} is rejected`;
  return result?.['isError'] === true ? `${address} reports an error` : `${address} answers`;
}

/** Returns the import path of the registry's file. */
function moduleOf({ words: [file = ''] = [] }: CopiedCall): string {
  const [name = EXAMPLE_FILE] = /[^/\\]+\.[cm]?[jt]sx?$/.exec(file) ?? [];
  return `./${name.replace(/\.([cm]?)tsx?$/, '.$1js')}`;
}

function expectations(result: Fields | undefined): readonly string[] {
  if (!result) return ['  expect(result.isError).not.toBe(true);'];
  const { structuredContent, content, isError, _meta } = result;
  if (isError === true) {
    const report = isRecord(_meta) ? _meta['toolfold/error'] : undefined;
    const code = isRecord(report) && typeof report['code'] === 'string' ? toLiteral(report['code']) : '';
    return [`  expect(result).toBeToolError(${code});`];
  }
  if (structuredContent !== undefined)
    return [`  expect(result.structuredContent).toEqual(${toLiteral(structuredContent, 2)});`];
  return [`  expect(result.content).toEqual(${toLiteral(content ?? [], 2)});`];
}

function toOptions({ era, form, caller, answers = [] }: CopiedCall): string | undefined {
  const options: Record<string, unknown> = {
    ...(era === '2025' ? { era } : {}),
    ...(form === 'flat' || form === 'search' ? { form } : {}),
    ...(caller === undefined
      ? {}
      : { auth: { clientId: caller.clientId ?? 'test', scopes: caller.scopes ?? [], ...caller.extra } }),
    ...(answers.length > 0 ? { answers: toAnswers(answers) } : {}),
  };
  return Object.keys(options).length === 0 ? undefined : toLiteral(options, 2);
}

function toAnswers(answers: readonly GivenAnswer[]): Fields {
  const of = (method: string): readonly Fields[] =>
    answers.filter((answer) => answer.method === method).map(({ result }) => result);
  const elicit = of('elicitation/create').map(({ action, content }) =>
    action === 'accept' ? (content ?? action) : action,
  );
  const sample = of('sampling/createMessage');
  const [roots] = of('roots/list');
  return {
    ...(elicit.length > 0 ? { elicit } : {}),
    ...(sample.length > 0 ? { sample } : {}),
    ...(roots ? { roots: roots['roots'] } : {}),
  };
}

/** Writes a JSON value as JavaScript. The key `__proto__` must be computed, because it would set the prototype. */
export function toLiteral(value: unknown, indent = 0): string {
  const text = writeJson(value, 2) || 'undefined';
  if (text.length < 80) return toLine(value);
  // JSON strings contain no line breaks, so this matches only keys.
  return text.replace(/^( *)"__proto__":/gm, '$1["__proto__"]:').replaceAll('\n', `\n${' '.repeat(indent)}`);
}

function toLine(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(toLine).join(', ')}]`;
  if (isRecord(value)) {
    const fields = Object.entries(value).map(([key, each]) => `${toKey(key)}: ${toLine(each)}`);
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
  return writeJson(value) || 'undefined';
}

const toKey = (key: string): string =>
  key === '__proto__' ? '["__proto__"]' : /^[a-z_$][\w$]*$/i.test(key) ? key : JSON.stringify(key);

/** Writes a text in single quotes, unless it needs escapes. */
function quote(text: string): string {
  return /['\\\n\r\u2028\u2029]/.test(text) || [...text].some((each) => each < ' ')
    ? JSON.stringify(text)
    : `'${text}'`;
}
