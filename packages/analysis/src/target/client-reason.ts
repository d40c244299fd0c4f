import type { KnownClient, View } from 'toolfold';
import type { Form } from './opened-target.js';

export function formOf(view: View): Form {
  return (view.shown?.form as Form | undefined) ?? view.policy.form ?? 'grouped';
}

export function reasonOf(client: KnownClient, view: View, tried: readonly string[]): string {
  const form = formOf(view);
  if (client.form === form) return client.source ?? 'set for the client';
  const unfit = tried.slice(0, Math.max(0, tried.indexOf(form)));
  if (unfit.length > 0)
    return `the ${unfit.join(' and the ')} form ${unfit.length === 1 ? 'has' : 'have'} more than ${client.maxTools} tools, or descriptions that are too long`;
  return limitOf(client, view.tools.size);
}

export function limitOf({ maxTools }: KnownClient, tools: number): string {
  return maxTools === undefined ? 'no limit is known' : `${tools} of at most ${maxTools} tools`;
}
