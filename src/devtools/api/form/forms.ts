import { UsageError } from '../../../analysis/command-error.js';
import { isToolfoldError } from '../../../analysis/toolfold-error.js';
import { createExposure, openLoaded } from '../../../analysis/target/open-loaded.js';
import type { OpenedRegistry } from '../../../analysis/target/open-loaded.js';
import type { Form } from '../../../analysis/target/opened-target.js';
import { profileNames } from '../../../profiles/profile.js';
import type { ShownProfile } from '../../page-api.js';
import { loadableOf } from '../loadable-toolsets.js';
import type { Snapshot } from '../snapshot.js';
import { isFixed } from '../surface.js';

/** The profiles that the page shows. */
export const shownProfiles: readonly ShownProfile[] = ['none', ...profileNames];

/** A form and a profile in which the page shows the server. */
export interface FormAndProfile {
  readonly form: Form;
  readonly profile: ShownProfile;
}

/** The server in one form and profile, or the reason why it does not have them. */
export type OpenedForm = { readonly opened: OpenedRegistry } | { readonly problem: string };

/** Opens the server in a form and a profile. */
export function openForm(
  snapshot: Snapshot,
  { form, profile }: FormAndProfile,
  signal: AbortSignal,
): Promise<OpenedForm> {
  return snapshot.share(`form ${form} ${profile}`, signal, async (shared) => {
    const { loaded, source } = snapshot;
    const problem = isFixed(loaded) ? problemOfFixed(snapshot, { form, profile }) : undefined;
    if (problem !== undefined) return { problem };
    const { served, selection } = await loadableOf(snapshot, shared);
    const wanted = {
      ...selection,
      ...(isFixed(served) ? {} : { form }),
      ...(profile === 'none' ? { isAuthored: true } : {}),
      ...(profile === 'none' || isFixed(served) ? {} : { profile }),
    };
    try {
      const opened = await openLoaded(source.target, served, wanted);
      opened.close();
      return { opened };
    } catch (error) {
      // Names that are unique in one form may collide in another.
      if (isToolfoldError(error) || error instanceof UsageError) return { problem: error.message };
      throw error;
    }
  });
}

/** Why the server cannot have a form. Its tools need not be listed for that, because names do not collide in profiles. */
export function problemOfForm(snapshot: Snapshot, form: Form): string | undefined {
  const { loaded } = snapshot;
  if (isFixed(loaded)) return problemOfFixed(snapshot, { form, profile: 'none' });
  try {
    createExposure(loaded, { form, profile: 'none' }).close();
    return undefined;
  } catch (error) {
    if (isToolfoldError(error)) return error.message;
    throw error;
  }
}

/** Why an exported Exposure or Toolsets does not have a form or a profile. Its tools can also be shown as their authors wrote them. */
export function problemOfFixed(snapshot: Snapshot, wanted: FormAndProfile): string | undefined {
  const offered = offeredBy(snapshot);
  const kind = snapshot.loaded.exposure ? 'an Exposure' : 'Toolsets';
  for (const setting of ['form', 'profile'] as const)
    if (wanted[setting] !== offered[setting] && wanted[setting] !== 'none')
      return `${snapshot.source.target} exports ${kind}, which sets the ${setting} to ${offered[setting]}.`;
  return undefined;
}

/** The form and the profile that the server has unless a client gets others. */
export function offeredBy({ loaded }: Snapshot): FormAndProfile {
  const { exposure, toolsets, view = {} } = loaded;
  if (exposure) {
    const { form, profile } = exposure.offers.first;
    return { form, profile };
  }
  if (toolsets) {
    const { form = 'grouped', profile = 'portable' } = toolsets.policy;
    return { form, profile };
  }
  const { form = 'grouped', profile = 'portable' } = view;
  return {
    form: form === 'auto' ? 'grouped' : form,
    profile: profile === 'client' ? 'portable' : profile,
  };
}
