import { expect, it } from 'vitest';
import { editorOf } from './editor.js';

it.each([
  ['vscode', {}],
  ['vscode', { VSCODE_GIT_ASKPASS_NODE: '/usr/share/code/code' }],
  ['cursor', { VSCODE_GIT_ASKPASS_NODE: '/Applications/Cursor.app/Contents/Frameworks/Cursor Helper' }],
  ['windsurf', { VSCODE_GIT_ASKPASS_NODE: '/usr/share/windsurf/windsurf' }],
  ['vscodium', { VSCODE_GIT_ASKPASS_NODE: 'C:\\Program Files\\VSCodium\\VSCodium.exe' }],
  ['zed', { ZED_TERM: 'true' }],
])('links open %s in a terminal with %o', (editor, env) => {
  expect(editorOf(env)).toBe(editor);
});
