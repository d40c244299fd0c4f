import type { CompiledForm, CompiledSpec } from '../compile/compiled-tool.js';
import { flatToolName, partToolName } from '../compile/tool-forms.js';
import { wireNameOf } from '../protocol/wire-name.js';

/** The names that a tool has in a form, whether or not all of it is shown. */
export function wireNamesOf({ spec }: CompiledSpec, { form, split }: CompiledForm): readonly string[] {
  const { name, namespace, discriminator, actions } = spec;
  const toWire = (own: string): string => wireNameOf({ namespace, name: own });
  if (discriminator === undefined || (form !== 'flat' && split !== 'risk')) return [toWire(name)];
  if (form === 'flat') return actions.map((action) => toWire(flatToolName(spec, action)));
  return [...new Set(actions.map((action) => partToolName(spec, action)))].map(toWire);
}
