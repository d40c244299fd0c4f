import type { Question } from '../../../mcp/questions.js';
import { questions } from '../../../mcp/questions.js';
import { Badge } from '../../../ui/badge.js';
import { Name } from '../../../ui/text.js';

/** Names the asking tool and its era, because the text of a server must not look like a text of the page. */
export function QuestionHead({ question }: { readonly question: Question }) {
  const others = questions.value.length - 1;
  return (
    <div class="row">
      <span class="soft">Asked by</span>
      <Name value={question.asker} />
      <Badge>{question.era}</Badge>
      {others > 0 && <span class="soft small">{others} more to answer</span>}
    </div>
  );
}
