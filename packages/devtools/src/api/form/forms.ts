import { createExposure, isToolfoldError, openLoaded, UsageError } from '@toolfold/analysis/internal';
import type { Form, OpenedRegistry } from '@toolfold/analysis/internal';
import { profileNames } from '@toolfold/profiles';
import type { ShownProfile } from '../../page-api.js';
import { loadableOf } from '../loadable-toolsets.js';
import type { Snapshot } from '../snapshot.js';
import { isFixed } from '../surface.js';
import { DEFAULT_PROFILE } from 'toolfold/internal';

export const shownProfiles: readonly ShownProfile[] = ['none', ...profileNames];

export interface FormAndProfile {
  readonly form: Form;
  readonly profile: ShownProfile;
}

/** The server in one form and profile, or why it cannot be served that way. */
type OpenedForm = { readonly opened: OpenedRegistry } | { readonly problem: string };

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

/** Explains why the server cannot have a form. Does not list its tools, because names do not collide in profiles. */
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

/** Explains why an exported Exposure or Toolsets rules out a form or profile. Its tools can always be shown as written. */
export function problemOfFixed(snapshot: Snapshot, wanted: FormAndProfile): string | undefined {
  const offered = offeredBy(snapshot);
  const kind = snapshot.loaded.exposure ? 'an Exposure' : 'Toolsets';
  for (const setting of ['form', 'profile'] as const)
    if (wanted[setting] !== offered[setting] && wanted[setting] !== 'none')
      return `${snapshot.source.target} exports ${kind}, which sets the ${setting} to ${offered[setting]}.`;
  return undefined;
}

/** Returns the form and profile that a client gets by default. */
export function offeredBy({ loaded }: Snapshot): FormAndProfile {
  const { exposure, toolsets, view = {} } = loaded;
  if (exposure) {
    const { form, profile } = exposure.offers.first;
    return { form, profile };
  }
  if (toolsets) {
    const { form = 'grouped', profile = DEFAULT_PROFILE } = toolsets.policy;
    return { form, profile };
  }
  const { form = 'grouped', profile = 'client' } = view;
  const name = typeof form === 'string' ? form : (form.name as Form);
  return {
    form: name === 'auto' ? 'grouped' : name,
    profile: profile === 'client' ? DEFAULT_PROFILE : profile,
  };
}
