import { useEffect, useRef, useState } from 'preact/hooks';
import { Spinner } from '../../ui/feedback.js';
import { announce } from '../../ui/toast.js';
import type { DeclarationIndex } from './declarations.js';
import type { Editor } from './editor/create-editor.js';

interface CodeEditorProps {
  readonly code: string;
  readonly declarations: DeclarationIndex;
  readonly onChange: (code: string) => void;
  readonly onRun: () => void;
  readonly onFunction: (path: string | undefined) => void;
  /** Called with the editor when it is ready, and with `undefined` when it is removed. */
  readonly onEditor: (editor: Editor | undefined) => void;
}

/** Loads the code editor when it is first shown. */
export function CodeEditor(props: CodeEditorProps) {
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');
  const [tabLeaves, setTabLeaves] = useState(false);
  useEffect(() => {
    let editor: Editor | undefined;
    let isGone = false;
    import('./editor/create-editor.js').then(
      ({ createEditor }) => {
        const parent = element.current;
        if (isGone || !parent) return;
        editor = createEditor({
          parent,
          code: latest.current.code,
          label: 'Code. Press Escape, then Tab to leave the editor',
          declarations: () => latest.current.declarations,
          onChange: (code) => latest.current.onChange(code),
          onRun: () => latest.current.onRun(),
          onFunction: (path) => latest.current.onFunction(path),
          onTabLeaves: setTabLeaves,
        });
        setState('ready');
        latest.current.onEditor(editor);
      },
      () => setState('failed'),
    );
    return () => {
      isGone = true;
      latest.current.onEditor(undefined);
      editor?.destroy();
    };
  }, []);
  useEffect(() => {
    if (tabLeaves) announce('Tab leaves the editor now');
  }, [tabLeaves]);
  return (
    <div class="code-editor">
      {state === 'loading' && <Spinner label="Loading the editor" />}
      {state === 'failed' && <p role="alert">The editor could not be loaded. Reload the page.</p>}
      <div ref={element} class="code-host" />
      <p class="code-keys small soft">
        {tabLeaves ? (
          <strong>Tab leaves the editor now.</strong>
        ) : (
          <>
            <kbd>Ctrl Space</kbd> completes, <kbd>Tab</kbd> indents, <kbd>Esc</kbd> then <kbd>Tab</kbd> leaves
            the editor.
          </>
        )}
      </p>
    </div>
  );
}
