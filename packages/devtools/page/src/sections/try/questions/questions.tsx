import { questions } from '../../../mcp/questions.js';
import type { Question } from '../../../mcp/questions.js';
import { ElicitationDialog } from './elicitation-dialog.js';
import { RootsDialog } from './roots-dialog.js';
import { SamplingDialog } from './sampling-dialog.js';

/** Shows the oldest open question of the server as a dialog. */
export function Questions() {
  const [first] = questions.value;
  return first ? <QuestionDialog key={first.id} question={first} /> : null;
}

function QuestionDialog({ question }: { readonly question: Question }) {
  switch (question.method) {
    case 'elicitation/create':
      return <ElicitationDialog question={question} />;
    case 'sampling/createMessage':
      return <SamplingDialog question={question} />;
    case 'roots/list':
      return <RootsDialog question={question} />;
  }
}
