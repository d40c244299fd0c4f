import { EXAMPLE_FILE } from './copied-call.js';
import type { CopiedCall } from './copied-call.js';
import { quoteForShell } from './shell-quote.js';

/** Returns the `toolfold call` command for a tool call. */
export function toToolfoldCall(call: CopiedCall): string {
  const { address, input, form, era, caller, words: [target, ...rest] = [EXAMPLE_FILE] } = call;
  const isCommand = target === '--';
  const isLocal = !isCommand && !/^https?:\/\//i.test(target ?? '');
  // The page calls with all scopes by default, but the command only with the given ones, so add those that the call
  // needs.
  const scopes = caller?.scopes ?? call.needed ?? [];
  const flags = [
    ...(Object.keys(input).length > 0 ? ['--input', JSON.stringify(input)] : []),
    ...(isLocal && form !== 'grouped' ? ['--form', form] : []),
    ...(isLocal && scopes.length > 0 ? ['--scopes', scopes.join(',')] : []),
    ...(isLocal || era === '2026' ? [] : ['--protocol', era]),
  ];
  const words = isCommand ? [address, ...flags, '--', ...rest] : [target ?? '', address, ...flags, ...rest];
  return ['npx', 'toolfold', 'call', ...words.map(quoteForShell)].join(' ');
}
