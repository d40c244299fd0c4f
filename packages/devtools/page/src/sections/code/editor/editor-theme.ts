import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/**
 * Takes all colours from the custom properties of the page, which also apply inside the shadow root, so both themes
 * need one set.
 */
const look = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    fontSize: 'var(--text-md)',
  },
  // The element around the editor shows the focus.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.6', fontVariantLigatures: 'none' },
  '.cm-content': { padding: '10px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 12px 0 6px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)', borderLeftWidth: '1.5px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selected)',
  },
  '.cm-content ::selection, .cm-line::selection': { backgroundColor: 'var(--selected)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-faint)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '.cm-placeholder': { color: 'var(--text-faint)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--pressed)', outline: 'none' },
  '.cm-error-line': { backgroundColor: 'var(--error-soft)' },
  '.cm-error-place': {
    textDecoration: 'underline wavy var(--error) 1.5px',
    textUnderlineOffset: '3px',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius-md)',
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow-2)',
    fontFamily: 'var(--font-sans)',
    fontSize: 'var(--text-sm)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font-mono)',
    maxHeight: '16em',
    maxWidth: 'min(36rem, 90vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px', lineHeight: '1.5' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--selected)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)', fontWeight: '600' },
  '.cm-completionDetail': { color: 'var(--text-soft)', fontStyle: 'normal', marginLeft: '0.6em' },
  '.cm-completionIcon': { display: 'none' },
  '.cm-tooltip.cm-completionInfo': { padding: '8px 10px', maxWidth: '26rem' },
  '.cm-declaration': { maxWidth: '32rem', maxHeight: '18rem', overflow: 'auto' },
  '.cm-tooltip-hover .cm-declaration': { padding: '8px 10px' },
  '.cm-declaration-title': {
    fontFamily: 'var(--font-mono)',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
    unicodeBidi: 'isolate',
  },
  '.cm-declaration-note': { color: 'var(--text-soft)', fontSize: 'var(--text-xs)' },
  '.cm-declaration-text': {
    marginTop: '6px',
    color: 'var(--text-soft)',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
    unicodeBidi: 'isolate',
  },
});

const colours = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword, tags.definitionKeyword],
    color: 'var(--json-literal)',
  },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--json-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--json-number)' },
  { tag: [tags.propertyName], color: 'var(--json-key)' },
  {
    tag: [tags.function(tags.propertyName), tags.function(tags.variableName)],
    color: 'var(--accent-strong)',
  },
  { tag: [tags.typeName, tags.className], color: 'var(--read)' },
  { tag: [tags.comment], color: 'var(--text-faint)', fontStyle: 'italic' },
]);

export const editorTheme: Extension = [look, syntaxHighlighting(colours)];
