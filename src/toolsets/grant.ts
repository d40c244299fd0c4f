import { assertForms, isFlag, isListOfText } from '../compile/assert-forms.js';
import type { Forms } from '../compile/assert-forms.js';
import type { Caller, CallerAuth } from '../compile/tool-definition.js';
import { ErrInvalidPolicy } from '../errors.js';
import type { Selection } from '../registry/view-source.js';
import { isJsonObject } from '../schema/json-schema.js';

export type SelectByCaller = (auth: CallerAuth | undefined) => Selection | undefined;

const forms: Forms<keyof Selection> = {
  toolsets: [isListOfText, 'a list of names'],
  tools: [isListOfText, 'a list of names'],
  excludeTools: [isListOfText, 'a list of names'],
  readOnly: [isFlag, 'true or false'],
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
  assertForms(grant, forms, {
    error: ErrInvalidPolicy,
    whole: 'What select returned',
    key: (name) => `"${name}" of what select returned`,
  });
}
