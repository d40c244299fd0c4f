import { Dialog } from '../ui/dialog.js';
import { closeOverlay } from './overlay.js';

const shortcuts = [
  {
    title: 'Everywhere',
    keys: [
      { keys: ['Ctrl K', '⌘K', '/'], text: 'Find tools, actions and sections' },
      { keys: ['?'], text: 'Show this help' },
      { keys: ['Esc'], text: 'Close a dialog' },
    ],
  },
  {
    title: 'In the palette',
    keys: [
      { keys: ['Enter'], text: 'Open' },
      { keys: ['Shift Enter'], text: 'Try the tool or action' },
    ],
  },
  {
    title: 'In trees and JSON',
    keys: [
      { keys: ['↑', '↓'], text: 'Move' },
      { keys: ['→', '←'], text: 'Open and close, or move to the first child and the parent' },
      { keys: ['Home', 'End'], text: 'First and last' },
      { keys: ['Enter'], text: 'Select' },
      { keys: ['*'], text: 'Open everything on this level' },
      { keys: ['a–z'], text: 'Move to a name that begins so' },
    ],
  },
  {
    title: 'In Try',
    keys: [
      { keys: ['Ctrl Enter', '⌘Enter'], text: 'Run' },
      { keys: ['Esc'], text: 'Cancel the call' },
    ],
  },
  {
    title: 'In the code editor',
    keys: [
      { keys: ['Ctrl Enter', '⌘Enter'], text: 'Run' },
      { keys: ['Ctrl Space'], text: 'Complete' },
      { keys: ['Esc', 'Tab'], text: 'Leave the editor' },
    ],
  },
  {
    title: 'In the detail of a tool',
    keys: [
      { keys: ['['], text: 'The item before' },
      { keys: [']'], text: 'The next item' },
    ],
  },
];

export function KeyboardHelp() {
  return (
    <Dialog title="Keyboard shortcuts" onClose={closeOverlay}>
      <div class="stack">
        {shortcuts.map(({ title, keys }) => (
          <section key={title} class="stack stack-tight">
            <h3>{title}</h3>
            <dl class="facts">
              {keys.map((each) => (
                <>
                  <dt class="row">
                    {each.keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{each.text}</dd>
                </>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
