import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Question } from '../../../mcp/questions.js';
import { Button } from '../../../ui/button.js';
import { Notice } from '../../../ui/feedback.js';
import { isWebLink, Name, Text } from '../../../ui/text.js';
import { SchemaForm } from '../controls/schema-form.js';
import { isMissing } from '../form/check-draft.js';
import { createEditor, readEditor } from '../form/editor.js';
import { toDraft } from '../form/draft.js';
import type { Draft } from '../form/draft.js';
import type { Field } from '../form/field.js';
import { isRecord } from '../form/json.js';
import { readSchema } from '../form/read-schema.js';
import { QuestionDialog } from './question-dialog.js';

/** Asks an elicitation of the server: shows its form, or the page to open. */
export function ElicitationDialog({ question }: { readonly question: Question }) {
  return question.params['mode'] === 'url' ? (
    <PageQuestion question={question} />
  ) : (
    <FormQuestion question={question} />
  );
}

function FormQuestion({ question }: { readonly question: Question }) {
  const { requestedSchema } = question.params;
  const field = useMemo(
    () => readSchema(isRecord(requestedSchema) ? requestedSchema : { type: 'object' }),
    [requestedSchema],
  );
  const [editor, setEditor] = useState(() => withDefaults(field));
  const [isTried, setTried] = useState(false);
  const { value, problems } = readEditor(field, editor);
  const accept = (): void => {
    setTried(true);
    if (problems.length === 0) question.answer({ action: 'accept', content: value ?? {} });
  };
  return (
    <ElicitationFrame question={question} title="The server asks" onAccept={accept}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          accept();
        }}
      >
        <SchemaForm
          field={field}
          editor={editor}
          onChange={setEditor}
          problems={isTried ? problems : problems.filter((problem) => !isMissing(problem))}
          label="Answer"
          hasJson={false}
        />
        {/* Enter submits a form only if it has such a button. */}
        <button type="submit" class="visually-hidden" tabIndex={-1} aria-hidden="true">
          Accept
        </button>
      </form>
    </ElicitationFrame>
  );
}

interface ElicitationFrameProps {
  readonly question: Question;
  readonly title: string;
  readonly onAccept: () => void;
  readonly children: ComponentChildren;
}

/** Shows the message of an elicitation with its three answers. */
function ElicitationFrame({ question, title, onAccept, children }: ElicitationFrameProps) {
  const cancel = (): void => question.answer({ action: 'cancel' });
  return (
    <QuestionDialog
      question={question}
      title={title}
      onClose={cancel}
      buttons={
        <>
          <Button kind="quiet" onClick={cancel}>
            Cancel
          </Button>
          <Button onClick={() => question.answer({ action: 'decline' })}>Decline</Button>
          <Button kind="primary" onClick={onAccept}>
            Accept
          </Button>
        </>
      }
    >
      <p class="try-question">
        <Text value={String(question.params['message'] ?? '')} clamp={12} />
      </p>
      {children}
    </QuestionDialog>
  );
}

/** Fills a form with the defaults of its schema, because MCP clients send them. */
function withDefaults(field: Field) {
  const editor = createEditor(field);
  if (field.kind !== 'object' || editor.draft === undefined || !('fields' in editor.draft)) return editor;
  const defaults = field.properties.flatMap(({ name, field: read }): [string, Draft][] => {
    const value = read().default;
    return value === undefined ? [] : [[name, toDraft(read(), value)]];
  });
  return {
    ...editor,
    draft: { ...editor.draft, fields: { ...editor.draft.fields, ...Object.fromEntries(defaults) } },
  };
}

function PageQuestion({ question }: { readonly question: Question }) {
  const { url } = question.params;
  const address = String(url ?? '');
  const isWeb = isWebLink(address);
  return (
    <ElicitationFrame
      question={question}
      title="The server wants you to open a page"
      onAccept={() => question.answer({ action: 'accept' })}
    >
      <div class="try-address">
        <Name value={address} />
      </div>
      {isWeb ? (
        <div class="row">
          <span class="soft">Host:</span> <Name value={new URL(address).host} class="strong" />
          <a class="button button-small" href={address} target="_blank" rel="noreferrer noopener">
            Open in a new tab
          </a>
        </div>
      ) : (
        <Notice kind="warning">This address is not a web page, so it is not a link.</Notice>
      )}
      <p class="soft small">Accept means that you agree to open the page. It does not open by itself.</p>
    </ElicitationFrame>
  );
}
