import { useState } from 'preact/hooks';
import type { Question } from '../../../mcp/questions.js';
import { Badge } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { Field } from '../../../ui/field.js';
import { JsonView } from '../../../ui/json/json-view.js';
import { Text } from '../../../ui/text.js';
import { isRecord } from '../form/json.js';
import { PartView } from '../result/part-view.js';
import { partOfBlock } from '../result/result-parts.js';
import { QuestionDialog } from './question-dialog.js';

/** Shows a sampling request, which the developer answers in place of the client's model. */
export function SamplingDialog({ question }: { readonly question: Question }) {
  const [text, setText] = useState('');
  const { messages, systemPrompt, ...others } = question.params;
  const decline = (): void => question.dismiss(new Error('The user declined to sample.'));
  return (
    <QuestionDialog
      question={question}
      title="The server asks the model"
      onClose={decline}
      buttons={
        <>
          <Button onClick={decline}>Decline</Button>
          <Button
            kind="primary"
            onClick={() =>
              question.answer({
                role: 'assistant',
                model: 'toolfold-page',
                content: { type: 'text', text },
                stopReason: 'endTurn',
              })
            }
          >
            Answer
          </Button>
        </>
      }
    >
      {typeof systemPrompt === 'string' && (
        <div class="try-turn">
          <Badge>system</Badge>
          <Text value={systemPrompt} clamp={8} />
        </div>
      )}
      {(Array.isArray(messages) ? (messages as unknown[]) : []).map((message, index) => (
        <Turn key={index} message={message} />
      ))}
      {Object.keys(others).length > 0 && (
        <details class="try-details">
          <summary>Parameters</summary>
          <JsonView value={others} label="parameters of the sampling" />
        </details>
      )}
      <Field label="Your answer in place of the model">
        {(control) => (
          <textarea
            {...control}
            class="input"
            rows={4}
            autofocus
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </Field>
    </QuestionDialog>
  );
}

/** Shows one message of the conversation. */
export function Turn({ message }: { readonly message: unknown }) {
  const { role, content } = isRecord(message) ? message : {};
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return (
    <div class="try-turn">
      <Badge kind={role === 'assistant' ? 'accent' : 'plain'}>{String(role ?? 'unknown').slice(0, 40)}</Badge>
      {blocks.map((block, index) => (
        <PartView key={index} part={partOfBlock(block)} label={`message ${index + 1}`} />
      ))}
    </div>
  );
}
