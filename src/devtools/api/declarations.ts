import { readSearchedActions } from '../../analysis/target/searched-actions.js';
import { schemasOf, signatureOf } from '../../code/declarations/declare-actions.js';
import { readPaths } from '../../code/form/tool-paths.js';
import { summarize } from '../../search/form/entries.js';
import type { SearchEntry } from '../../search/form/entries.js';
import { writeFieldType } from '../../search/form/signature.js';
import { isJsonObject } from '../../values/json-value.js';
import type { CodeDeclarations, JsonSchemaObject } from '../page-api.js';
import { inSlices, eachInSteps } from '../../analysis/steps.js';
import { loadableOf } from './loadable-toolsets.js';
import type { Snapshot } from './snapshot.js';

type DeclaredFunction = CodeDeclarations['functions'][number];

/** The functions that code may call. */
export function declarationsOf(snapshot: Snapshot, signal: AbortSignal): Promise<CodeDeclarations> {
  return snapshot.share('declarations', signal, async (shared) => {
    const { served } = await loadableOf(snapshot, shared);
    const { allow = 'read' } = served.view?.code ?? {};
    const { entries } = await readSearchedActions(served);
    const { byPath } = readPaths(entries);
    const callable = [...byPath].filter(([, { kind }]) => allow === 'write' || kind === 'read');
    const steps = eachInSteps(callable, ([path, entry]) => declare(path, entry));
    const functions = await inSlices(steps, shared);
    return { allow, functions: functions.toSorted((one, other) => (one.path < other.path ? -1 : 1)) };
  });
}

function declare(path: string, entry: SearchEntry): DeclaredFunction {
  const { inputSchema } = schemasOf(entry);
  const description = summarize(entry);
  return {
    path,
    address: entry.compiled.address,
    signature: signatureOf(entry, path),
    ...(description === '' ? {} : { description }),
    fields: fieldsOf(inputSchema),
  };
}

function fieldsOf(schema: JsonSchemaObject): DeclaredFunction['fields'] {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return [];
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, field]) => {
    const description = isJsonObject(field) ? field['description'] : undefined;
    return {
      name,
      type: writeFieldType(field, schema),
      isRequired: needed.has(name),
      ...(typeof description === 'string' ? { description } : {}),
    };
  });
}
