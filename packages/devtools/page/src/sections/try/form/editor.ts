import { checkDraft } from './check-draft.js';
import type { Problem } from './check-draft.js';
import { lostNumber } from './decimal.js';
import { initialDraft, toDraft, toValue } from './draft.js';
import type { Draft } from './draft.js';
import type { Field } from './field.js';
import { parseJson } from './json.js';
import type { Json } from './json.js';

/**
 * The state of a form, which is shown as controls or as JSON. Both values are kept, so that switching loses nothing.
 */
export interface Editor {
  readonly mode: 'form' | 'json';
  readonly draft: Draft;
  readonly json: string;
  /** The JSON of the draft when the editor switched to JSON. If the text is still equal to it, the draft is kept. */
  readonly shown: string;
}

export function createEditor(field: Field, value?: Json): Editor {
  const draft = value === undefined ? initialDraft(field) : toDraft(field, value);
  return { mode: 'form', draft, json: '', shown: '' };
}

export function switchMode(field: Field, editor: Editor, mode: Editor['mode']): Editor {
  if (mode === editor.mode) return editor;
  if (mode === 'json') {
    const json = JSON.stringify(toValue(field, editor.draft) ?? {}, undefined, 2);
    return { ...editor, mode, json, shown: json };
  }
  const parsed = parseJson(editor.json);
  // Stay in JSON mode if the text is not valid JSON or has numbers that would be rounded, so that the user can correct
  // it.
  if (!parsed.ok || lostNumber(editor.json) !== undefined) return editor;
  return {
    ...editor,
    mode,
    draft: editor.json === editor.shown ? editor.draft : toDraft(field, parsed.value, editor.draft),
  };
}

/** Returns the value to send, or its problems. */
export function readEditor(
  field: Field,
  editor: Editor,
): { readonly value: Json | undefined; readonly problems: readonly Problem[] } {
  if (editor.mode === 'form')
    return { value: toValue(field, editor.draft), problems: checkDraft(field, editor.draft) };
  const parsed = parseJson(editor.json);
  if (!parsed.ok)
    return { value: undefined, problems: [{ path: [], message: `This is not JSON yet: ${parsed.problem}` }] };
  const lost = lostNumber(editor.json);
  return {
    value: parsed.value,
    problems: [
      ...(lost === undefined ? [] : [{ path: [], message: lost }]),
      ...checkDraft(field, toDraft(field, parsed.value)),
    ],
  };
}
