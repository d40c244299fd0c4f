import type { BundleOwner, ClientBundles } from '../../src/toolsets/client-cache.js';
import { hashOf } from 'toolfold/internal';

export interface View {
  readonly of: string;
  readonly number: number;
}

export const owner = (clientId: string, config: Record<string, unknown> = {}): BundleOwner => ({
  clientId,
  sessionConfigHash: hashOf(config),
});

export function getOrMake(bundles: ClientBundles<View>, who: BundleOwner, make: () => View): View {
  const known = bundles.get(who);
  if (known) return known;
  const made = make();
  bundles.set(who, made);
  return made;
}
