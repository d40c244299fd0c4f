import { quoteForShell } from './shell-quote.js';
import type { CopiedCall } from './copied-call.js';

export type TargetKind = 'url' | 'file' | 'command' | 'name';

/** What the text of a target is. */
export function targetKind(target: string): TargetKind {
  if (/^https?:\/\//i.test(target)) return 'url';
  if (/^\S+\.(?:[cm]?[jt]sx?|json|jsonl|ndjson|ya?ml)$/i.test(target)) return 'file';
  return /\s/.test(target) ? 'command' : 'name';
}

/** The command line of `toolfold call` for a call of a tool. */
export function toToolfoldCall(call: CopiedCall): string {
  const { address, input, form, era, caller, target } = call;
  const kind = targetKind(target);
  // The page calls with every scope unless the developer chose some.
  const scopes = caller?.scopes ?? call.needed ?? [];
  const isLocal = kind === 'file' || kind === 'name';
  const flags = [
    ...(Object.keys(input).length > 0 ? ['--input', quoteForShell(JSON.stringify(input))] : []),
    ...(isLocal && form !== 'grouped' ? ['--form', form] : []),
    ...(isLocal && scopes.length > 0 ? ['--scopes', quoteForShell(scopes.join(','))] : []),
    ...(isLocal || era === '2026' ? [] : ['--protocol', era]),
  ];
  const words =
    kind === 'command'
      ? [quoteForShell(address), ...flags, '--', target]
      : [quoteForShell(kind === 'name' ? 'server.ts' : target), quoteForShell(address), ...flags];
  return ['npx', 'toolfold', 'call', ...words].join(' ');
}
