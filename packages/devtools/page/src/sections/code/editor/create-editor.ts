import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  completionStatus,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript, localCompletionSource } from '@codemirror/lang-javascript';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view';
import type { DeclarationIndex } from '../declarations.js';
import { callAt, pathAt } from './code-context.js';
import { completeCode, toInfo } from './complete-code.js';
import { editorTheme } from './editor-theme.js';
import { errorMark, positionOf, setErrorPlace } from './error-mark.js';
import type { CodePlace } from './error-mark.js';

interface EditorOptions {
  readonly parent: HTMLElement;
  readonly code: string;
  readonly label: string;
  /** The id of an element that describes the editor. */
  readonly declarations: () => DeclarationIndex;
  readonly onChange: (code: string) => void;
  readonly onRun: () => void;
  /** Called with the path of the function at the cursor. */
  readonly onFunction: (path: string | undefined) => void;
  /** Called when the Tab key starts or stops leaving the editor. */
  readonly onTabLeaves: (leaves: boolean) => void;
}

export interface Editor {
  read(): string;
  /** Replaces the whole code. */
  write(code: string): void;
  /** Inserts a text at the cursor, in place of the selection. */
  insert(text: string): void;
  mark(place: CodePlace | undefined): void;
  /** Moves the cursor to a place, and the focus to the editor. */
  goTo(place: CodePlace): void;
  focus(): void;
  destroy(): void;
}

/**
 * Creates the editor inside a shadow root. There CodeMirror adopts style sheets; in the document it would add style
 * elements, which the content security policy of the page forbids.
 */
export function createEditor(options: EditorOptions): Editor {
  const { parent, code, label, declarations, onChange, onRun, onFunction, onTabLeaves } = options;
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
  const setTabLeaves = (view: EditorView, leaves: boolean): void => {
    view.setTabFocusMode(leaves);
    onTabLeaves(leaves);
  };
  const keys = keymap.of([
    {
      key: 'Mod-Enter',
      run: () => {
        onRun();
        return true;
      },
    },
    {
      // Tab indents, so people need another way to leave the editor with the keyboard.
      key: 'Escape',
      run: (view) => {
        if (completionStatus(view.state) !== null) return false;
        setTabLeaves(view, true);
        return true;
      },
    },
  ]);
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: code,
      extensions: [
        keys,
        lineNumbers(),
        highlightActiveLineGutter(),
        highlightActiveLine(),
        history(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of('  '),
        bracketMatching(),
        closeBrackets(),
        javascript({ typescript: true }),
        autocompletion({
          override: [(context) => completeCode(declarations(), context), localCompletionSource],
          activateOnTyping: true,
          defaultKeymap: false,
          icons: false,
        }),
        keymap.of([
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...historyKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
        placeholder('const answer = await tools.'),
        hoverTooltip((shown, position) => {
          const found = pathAt(shown.state, position);
          const declared = found && declarations().find(found.path);
          if (!found || !declared) return null;
          return {
            pos: found.from,
            end: found.to,
            create: () => ({ dom: toInfo(declared.signature, declared.description) }),
          };
        }),
        errorMark,
        editorTheme,
        EditorView.contentAttributes.of({
          'aria-label': label,
          'aria-multiline': 'true',
          tabindex: '0',
          spellcheck: 'false',
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) {
            onChange(update.state.doc.toString());
            if (update.transactions.some((each) => each.isUserEvent('input')))
              setTabLeaves(update.view, false);
            openAfterDot(update.view);
          }
          if (update.docChanged || update.selectionSet)
            onFunction(functionAt(update.state, update.state.selection.main.head));
        }),
        EditorView.domEventHandlers({
          beforeinput: replaceSelection,
          blur: (_event, shown) => setTabLeaves(shown, false),
        }),
      ],
    }),
  });
  return {
    read: () => view.state.doc.toString(),
    write: (text) =>
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: text.length },
        effects: setErrorPlace.of(undefined),
      }),
    insert: (text) => {
      view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true });
      view.focus();
    },
    mark: (place) => view.dispatch({ effects: setErrorPlace.of(place) }),
    goTo: (place) => {
      view.dispatch({ selection: { anchor: positionOf(view.state, place) }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

function functionAt(state: EditorState, position: number): string | undefined {
  return pathAt(state, position)?.path ?? callAt(state, position);
}

/** A chosen namespace ends with a name. Typing a dot after it offers the next level. */
function openAfterDot(view: EditorView): void {
  const { head } = view.state.selection.main;
  if (view.state.sliceDoc(head - 1, head) !== '.' || completionStatus(view.state) !== null) return;
  // CodeMirror forbids changes during an update, so open the list afterwards.
  queueMicrotask(() => startCompletion(view));
}

/**
 * Types over a selection. The browser would keep the look of the selected text with style attributes, which the content
 * security policy of the page forbids and reports.
 */
function replaceSelection(event: InputEvent, view: EditorView): boolean {
  const { data, inputType } = event;
  const { from, to, empty } = view.state.selection.main;
  if (inputType !== 'insertText' || data === null || empty || view.composing) return false;
  const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type' });
  // Other extensions may handle the text, such as by putting brackets around the selection.
  const isHandled = view.state
    .facet(EditorView.inputHandler)
    .some((handle) => handle(view, from, to, data, insert));
  if (!isHandled) view.dispatch(insert());
  return true;
}
