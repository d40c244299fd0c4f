import type { LoadedModule } from '@toolfold/analysis/internal';
import type { Exposure } from 'toolfold/web';
import type { Form, ShownProfile } from './page-api.js';
import { DEFAULT_PROFILE } from 'toolfold/internal';

/** Forms and profiles that an exported Exposure or Toolsets offers. Its tools can also be shown as written. */
function offeredChoices({ exposure, toolsets }: LoadedModule):
  | {
      readonly kind: string;
      readonly form: readonly Form[];
      readonly profile: readonly ShownProfile[];
    }
  | undefined {
  if (exposure) {
    const { first, ofEachForm, clients } = exposure.offers;
    const isByClient = ((exposure as Partial<Exposure>).options?.view?.profile ?? 'client') === 'client';
    const profile = isByClient ? clients.map((client) => client.profile) : [first.profile];
    return { kind: 'an Exposure', form: ofEachForm.map(({ form }) => form), profile: [...new Set(profile)] };
  }
  if (!toolsets) return undefined;
  const { form = 'grouped', profile = DEFAULT_PROFILE } = toolsets.policy;
  return { kind: 'Toolsets', form: [form], profile: [profile] };
}

/** Explains why an exported Exposure or Toolsets rules out a form or profile. */
export function refusalOf(
  loaded: LoadedModule,
  wanted: { readonly form?: Form | undefined; readonly profile?: ShownProfile | undefined },
): string | undefined {
  const offered = offeredChoices(loaded);
  if (!offered) return undefined;
  for (const setting of ['form', 'profile'] as const) {
    const choices: readonly string[] = offered[setting];
    const choice = wanted[setting];
    if (choice !== undefined && choice !== 'none' && !choices.includes(choice))
      return `The server exports ${offered.kind}, which sets the ${setting} to ${choices.join(' or ')}.`;
  }
  return undefined;
}
