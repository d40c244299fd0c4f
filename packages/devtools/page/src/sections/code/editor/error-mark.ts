import { StateEffect, StateField } from '@codemirror/state';
import type { EditorState } from '@codemirror/state';
import { Decoration, EditorView } from '@codemirror/view';
import type { DecorationSet } from '@codemirror/view';

/** A position in the code. Line and column count from 1. */
export interface CodePlace {
  readonly line: number;
  readonly column?: number | undefined;
}

/** Marks the place of an error; `undefined` removes the mark. */
export const setErrorPlace = StateEffect.define<CodePlace | undefined>();

/** Converts a place to an offset. A place outside the code is moved into it. */
export function positionOf(state: EditorState, { line, column = 1 }: CodePlace): number {
  const found = state.doc.line(Math.min(Math.max(1, Math.trunc(line)), state.doc.lines));
  return Math.min(found.from + Math.max(0, Math.trunc(column) - 1), found.to);
}

function markPlace(state: EditorState, place: CodePlace): DecorationSet {
  const position = positionOf(state, place);
  const line = state.doc.lineAt(position);
  const word = /^[\w$]+|^./.exec(state.sliceDoc(position, line.to))?.[0] ?? '';
  const marks = [Decoration.line({ class: 'cm-error-line' }).range(line.from)];
  if (word !== '')
    marks.push(Decoration.mark({ class: 'cm-error-place' }).range(position, position + word.length));
  return Decoration.set(marks);
}

/** Marks the place of the last error. Any edit removes the mark. */
export const errorMark = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    for (const effect of transaction.effects)
      if (effect.is(setErrorPlace))
        return effect.value ? markPlace(transaction.state, effect.value) : Decoration.none;
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});
