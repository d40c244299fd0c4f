import { declaredFields } from '@toolfold/schema/internal';
import { eachInSteps, readSearchedActions } from '@toolfold/analysis/internal';
import { readPaths, schemasOf, signatureOf } from '@toolfold/code/internal';
import { summarize, writeFieldType, runInSlices } from '@toolfold/search/internal';
import type { SearchEntry } from '@toolfold/search/internal';
import type { CodeDeclarations, JsonSchemaObject } from '../page-api.js';
import { loadableOf } from './loadable-toolsets.js';
import type { Snapshot } from './snapshot.js';

type DeclaredFunction = CodeDeclarations['functions'][number];

/** Declares the functions that code may call, for the code editor. */
export function declarationsOf(snapshot: Snapshot, signal: AbortSignal): Promise<CodeDeclarations> {
  return snapshot.share('declarations', signal, async (shared) => {
    const { served } = await loadableOf(snapshot, shared);
    const { allow = 'read' } = served.view?.code ?? {};
    const { entries } = await readSearchedActions(served);
    const { byPath } = readPaths(entries);
    const callable = [...byPath].filter(([, { kind }]) => allow === 'write' || kind === 'read');
    const steps = eachInSteps(callable, ([path, entry]) => declare(path, entry));
    const functions = await runInSlices(steps, shared);
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
  return declaredFields(schema).map(({ name, schema: field, isRequired, description }) => ({
    name,
    type: writeFieldType(field, schema),
    isRequired,
    ...(description === undefined ? {} : { description }),
  }));
}
