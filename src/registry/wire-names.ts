import type { CompiledForm, CompiledSpec } from '../compile/tool-definition-compiler.js';
import { toWireName } from '../compile/wire-name.js';

/** The names that a tool has in a form, whether or not all of it is shown. */
export function wireNamesOf({ spec }: CompiledSpec, { form, split }: CompiledForm): readonly string[] {
  const { name, discriminator, actions } = spec;
  if (discriminator === undefined) return [name];
  if (form === 'flat') return actions.map(({ key }) => toWireName(name, ...key.split('.')));
  if (split !== 'risk') return [name];
  const kinds = new Set(actions.map(({ readOnly }) => (readOnly === true ? 'read' : 'write')));
  return [...kinds].map((kind) => toWireName(name, kind));
}
