import type { ComponentChildren } from 'preact';
import type { Question } from '../../../mcp/questions.js';
import { Dialog } from '../../../ui/dialog.js';
import { QuestionHead } from './question-head.js';

interface QuestionDialogProps {
  readonly question: Question;
  readonly title: string;
  /** Called when the user closes the dialog without an answer. A click beside it does not, because the answer would be lost. */
  readonly onClose: () => void;
  readonly buttons: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A dialog for a question of the server to the user. */
export function QuestionDialog({ question, title, onClose, buttons, children }: QuestionDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} closesOutside={false} foot={buttons}>
      <div class="stack">
        <QuestionHead question={question} />
        {children}
      </div>
    </Dialog>
  );
}
