import { parseForeignJson } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from 'toolfold';
import { textOf } from './judge.js';
import type { Outcome } from './judge.js';
import type { Operation } from './operations.js';

/** The results that an action has returned, as far as a schema can describe them. */
class OutputDraft {
  readonly #types = new Set<string>();
  readonly #fields = new Map<string, { readonly draft: OutputDraft; count: number }>();
  #objects = 0;
  #items: OutputDraft | undefined;

  observe(value: unknown): void {
    const type = typeOf(value);
    this.#types.add(type);
    if (Array.isArray(value)) for (const item of value) (this.#items ??= new OutputDraft()).observe(item);
    if (type !== 'object') return;
    this.#objects++;
    for (const [name, each] of Object.entries(value as object)) {
      const field = this.#fields.get(name) ?? { draft: new OutputDraft(), count: 0 };
      this.#fields.set(name, field);
      field.count++;
      field.draft.observe(each);
    }
  }

  toSchema(): JsonSchemaObject {
    const types = [...this.#types].filter((type) => type !== 'integer' || !this.#types.has('number'));
    const fields = [...this.#fields];
    return {
      type: types.length === 1 ? types[0] : types.toSorted(),
      ...(this.#types.has('object')
        ? {
            properties: Object.fromEntries(fields.map(([name, { draft }]) => [name, draft.toSchema()])),
            required: fields.filter(([, { count }]) => count === this.#objects).map(([name]) => name),
          }
        : {}),
      ...(this.#types.has('array') ? { items: this.#items?.toSchema() ?? {} } : {}),
    };
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Drafts the output schemas of actions that have none, from their results that are JSON. */
export class OutputDrafts {
  readonly #drafts = new Map<string, OutputDraft>();

  observe({ address, outputSchema }: Operation, outcome: Outcome): void {
    if (outputSchema !== undefined || 'error' in outcome || outcome.result.isError === true) return;
    const text = textOf(outcome.result);
    const data =
      outcome.result.structuredContent ?? (/^\s*[[{]/.test(text) ? parseForeignJson(text) : undefined);
    if (data === undefined) return;
    const draft = this.#drafts.get(address) ?? new OutputDraft();
    this.#drafts.set(address, draft);
    draft.observe(data);
  }

  toJSON(): Readonly<Record<string, JsonSchemaObject>> {
    return Object.fromEntries(Array.from(this.#drafts, ([address, draft]) => [address, draft.toSchema()]));
  }
}
