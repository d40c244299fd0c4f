import type { InternalAction } from '../define/read-definition.js';
import type { ClientHints } from '../define/tool-definition.js';
import type { Meta } from '@toolfold/profiles';

/** Adds the hints to the `_meta` of a listed tool. Keys that the author wrote in `meta` take precedence. */
export function hintedMeta(meta: Meta | undefined, hints: ClientHints = {}): Meta | undefined {
  const { alwaysLoad, maxResultChars, requiresPerson } = hints;
  const hinted = {
    ...(alwaysLoad === true ? { 'anthropic/alwaysLoad': true } : {}),
    ...(maxResultChars === undefined ? {} : { 'anthropic/maxResultSizeChars': maxResultChars }),
    ...(requiresPerson === true ? { 'anthropic/requiresUserInteraction': true } : {}),
  };
  return Object.keys(hinted).length > 0 ? { ...hinted, ...meta } : meta && { ...meta };
}

/** A grouped tool has a flag if one of its actions has it, and the largest number of characters. */
export function joinHints(actions: readonly Pick<InternalAction, 'clientHints'>[]): ClientHints {
  const hints = actions.flatMap(({ clientHints }) => clientHints ?? []);
  const sizes = hints.flatMap(({ maxResultChars }) => maxResultChars ?? []);
  return {
    alwaysLoad: hints.some(({ alwaysLoad }) => alwaysLoad === true),
    requiresPerson: hints.some(({ requiresPerson }) => requiresPerson === true),
    ...(sizes.length > 0 ? { maxResultChars: Math.max(...sizes) } : {}),
  };
}
