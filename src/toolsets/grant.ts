import type { Caller, CallerAuth } from '../compile/tool-definition.js';
import { ErrInvalidPolicy } from '../errors.js';
import type { Selection } from '../registry/view-source.js';
import { isJsonObject } from '../schema/json-schema.js';

export type SelectByCaller = (auth: CallerAuth | undefined) => Selection | undefined;

const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

const forms: Readonly<
  Record<keyof Selection, readonly [check: (value: unknown) => boolean, expected: string]>
> = {
  toolsets: [isNames, 'a list of names'],
  tools: [isNames, 'a list of names'],
  excludeTools: [isNames, 'a list of names'],
  readOnly: [(value) => typeof value === 'boolean', 'true or false'],
};

/** What a caller sees at most, asked once for each request of it. A slip in it opens nothing: it throws. */
export function createGrants(select: SelectByCaller): (caller: Caller | undefined) => Selection | undefined {
  const known = new WeakMap<Caller, { readonly grant: Selection | undefined }>();
  return (caller) => {
    const before = caller && known.get(caller);
    if (before) return before.grant;
    const grant = select(caller?.auth);
    assertGrant(grant);
    if (caller) known.set(caller, { grant });
    return grant;
  };
}

function assertGrant(grant: unknown): void {
  if (grant === undefined) return;
  if (!isJsonObject(grant) || 'then' in grant) {
    if (grant instanceof Promise) grant.catch(() => undefined);
    throw new ErrInvalidPolicy(
      'select must return { toolsets, tools, excludeTools, readOnly } or undefined, at once.',
    );
  }
  for (const [name, value] of Object.entries(grant)) {
    const form = Object.hasOwn(forms, name) ? forms[name as keyof Selection] : undefined;
    if (!form) throw new ErrInvalidPolicy(`select returned "${name}", which is no part of a selection.`);
    const [check, expected] = form;
    if (value !== undefined && !check(value))
      throw new ErrInvalidPolicy(`select returned ${name}, which must be ${expected}.`);
  }
}
