import { useState } from 'preact/hooks';
import type { Question } from '../../../mcp/questions.js';
import { Button } from '../../../ui/button.js';
import { Field } from '../../../ui/field.js';
import { QuestionDialog } from './question-dialog.js';

/** Asks for the root directories of the client (`roots/list`). */
export function RootsDialog({ question }: { readonly question: Question }) {
  const [text, setText] = useState('');
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const wrong = lines.find((line) => !/^file:\/\/\S*$/.test(line));
  const decline = (): void => question.dismiss(new Error('The user declined to list roots.'));
  return (
    <QuestionDialog
      question={question}
      title="The server asks for roots"
      onClose={decline}
      buttons={
        <>
          <Button onClick={decline}>Decline</Button>
          <Button
            kind="primary"
            aria-disabled={wrong !== undefined}
            onClick={() => wrong === undefined && question.answer({ roots: lines.map((uri) => ({ uri })) })}
          >
            {lines.length === 0 ? 'Answer with no roots' : 'Answer'}
          </Button>
        </>
      }
    >
      <Field
        label="Roots"
        hint="One file address per line, such as file:///home/ada/project. Leave it empty for none."
        error={wrong === undefined ? undefined : `${wrong.slice(0, 80)} does not begin with file://`}
      >
        {(control) => (
          <textarea
            {...control}
            class="input input-mono"
            rows={3}
            autofocus
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </Field>
    </QuestionDialog>
  );
}
