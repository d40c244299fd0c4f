import type { InternalAction } from '../define/read-definition.js';
import type { ClientHints } from '../define/tool-definition.js';
import type { Meta } from '../protocol/mcp-types.js';

/** The `_meta` of a listed tool with its hints. Keys that the author writes in `meta` take precedence. */
export function hintedMeta(meta: Meta | undefined, hints: ClientHints = {}): Meta | undefined {
  const { alwaysLoad, maxResultChars, requiresPerson } = hints;
  const hinted = {
    ...(alwaysLoad === true ? { 'anthropic/alwaysLoad': true } : {}),
    ...(maxResultChars === undefined ? {} : { 'anthropic/maxResultSizeChars': maxResultChars }),
    ...(requiresPerson === true ? { 'anthropic/requiresUserInteraction': true } : {}),
  };
  return Object.keys(hinted).length > 0 ? { ...hinted, ...meta } : meta && { ...meta };
}

/** The hints of a grouped tool: a flag if one action has it, and the largest number of characters. */
export function joinHints(actions: readonly Pick<InternalAction, 'clientHints'>[]): ClientHints {
  const hints = actions.flatMap(({ clientHints }) => clientHints ?? []);
  const sizes = hints.flatMap(({ maxResultChars }) => maxResultChars ?? []);
  return {
    alwaysLoad: hints.some(({ alwaysLoad }) => alwaysLoad === true),
    requiresPerson: hints.some(({ requiresPerson }) => requiresPerson === true),
    ...(sizes.length > 0 ? { maxResultChars: Math.max(...sizes) } : {}),
  };
}
