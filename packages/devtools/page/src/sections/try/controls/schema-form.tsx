import { Segments } from '../../../ui/button.js';
import { Notice } from '../../../ui/feedback.js';
import { Field as LabelledField } from '../../../ui/field.js';
import { Text } from '../../../ui/text.js';
import { toast } from '../../../ui/toast.js';
import type { Problem } from '../form/check-draft.js';
import type { Editor } from '../form/editor.js';
import { switchMode } from '../form/editor.js';
import type { Field } from '../form/field.js';
import { keyOf, toProblemMap } from './control.js';
import { FieldControl } from './field-control.js';
import { ObjectFields } from './nested-controls.js';

interface SchemaFormProps {
  readonly field: Field;
  readonly editor: Editor;
  readonly onChange: (editor: Editor) => void;
  readonly problems: readonly Problem[];
  /** Label of the whole value, such as "Arguments". */
  readonly label: string;
  readonly hasJson?: boolean | undefined;
}

/** A form for a schema, which can also be edited as JSON. */
export function SchemaForm({ field, editor, onChange, problems, label, hasJson = true }: SchemaFormProps) {
  const map = toProblemMap(problems);
  const whole = map.get(keyOf([]));
  return (
    <div class="stack">
      {hasJson && (
        <div class="row row-between">
          <h2 class="try-heading">{label}</h2>
          <Segments
            label={`Edit ${label.toLowerCase()} as`}
            value={editor.mode}
            options={[
              { value: 'form', label: 'Form' },
              { value: 'json', label: 'JSON' },
            ]}
            onChange={(mode) => {
              const next = switchMode(field, editor, mode);
              if (next.mode === mode) onChange(next);
              else toast('The form cannot show this text. Correct the JSON first.');
            }}
          />
        </div>
      )}
      {editor.mode === 'json' ? (
        <JsonEditor editor={editor} onChange={onChange} label={label} error={whole?.join('; ')} />
      ) : field.kind === 'object' && editor.draft !== undefined && 'fields' in editor.draft ? (
        field.properties.length === 0 && !field.isRecord && editor.draft.extra.length === 0 ? (
          <p class="soft">This takes no arguments.</p>
        ) : (
          <ObjectFields
            field={field}
            draft={editor.draft}
            onChange={(draft) => onChange({ ...editor, draft })}
            path={[]}
            problems={map}
            label={label}
            isRequired
          />
        )
      ) : (
        <FieldControl
          field={field}
          draft={editor.draft}
          onChange={(draft) => onChange({ ...editor, draft })}
          path={[]}
          problems={map}
          label={label}
          isRequired
        />
      )}
      {whole !== undefined && field.kind === 'object' && editor.mode === 'form' && (
        <Notice kind="error">
          <Text value={whole.join('; ')} />
        </Notice>
      )}
      {editor.mode === 'json' && problems.length > 0 && whole === undefined && (
        <Notice kind="error">
          <ul class="try-problems">
            {problems.slice(0, 20).map(({ path, message }) => (
              <li key={keyOf(path) + message}>
                <Text value={`${path.join('.')} ${message}`} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </div>
  );
}

interface JsonEditorProps extends Pick<SchemaFormProps, 'editor' | 'onChange' | 'label'> {
  readonly error: string | undefined;
}

function JsonEditor({ editor, onChange, label, error }: JsonEditorProps) {
  return (
    <LabelledField
      label={<span class="visually-hidden">{label} as JSON</span>}
      error={error === undefined ? undefined : <Text value={error} />}
    >
      {(control) => (
        <textarea
          {...control}
          class="input input-mono try-json"
          spellcheck={false}
          autocomplete="off"
          value={editor.json}
          onInput={({ currentTarget }) => onChange({ ...editor, json: currentTarget.value })}
        />
      )}
    </LabelledField>
  );
}
