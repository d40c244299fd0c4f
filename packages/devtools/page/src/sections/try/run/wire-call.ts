import type { Listing } from '../../../../../src/page-api.js';

type Fields = Readonly<Record<string, unknown>>;
type ListedCall = Extract<Listing, { readonly call: unknown }>['call'];

const searchTools = new Set(['call_read_tool', 'call_write_tool']);

/** The parameters of `tools/call` for the input of an action, in the form that the server lists it. */
export function toWireCall(
  call: ListedCall,
  input: Fields,
): { readonly name: string; readonly arguments: Fields } {
  const { name, arguments: fixed } = call;
  if (searchTools.has(name) && typeof fixed['address'] === 'string')
    return { name, arguments: { ...fixed, arguments: input } };
  const { code } = fixed;
  if (name === 'run_code' && typeof code === 'string')
    return {
      name,
      arguments: { ...fixed, code: code.replace(/\(\{\}\);$/, () => `(${JSON.stringify(input)});`) },
    };
  // Spread `fixed` last, because the item decides which action runs and a field of the input must not replace it.
  return { name, arguments: { ...input, ...fixed } };
}
