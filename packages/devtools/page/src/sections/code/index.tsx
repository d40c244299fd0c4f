// oxlint-disable-next-line import/no-unassigned-import -- The styles of the section belong to its chunk.
import './code.css';
// oxlint-disable-next-line import/no-unassigned-import -- The dialogs and results of Try have their styles there.
import '../try/try.css';
import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { CodeDeclarations, ServerInfo } from '../../../../src/page-api.js';
import { api } from '../../api/client.js';
import { useResource } from '../../api/resource.js';
import { server } from '../../api/stores.js';
import type { Era } from '../../mcp/endpoint.js';
import { Button, Segments } from '../../ui/button.js';
import { Loaded } from '../../ui/feedback.js';
import { Checkbox, Select } from '../../ui/field.js';
import { Page } from '../../ui/page.js';
import { Questions } from '../try/questions/questions.js';
import { CodeEditor } from './code-editor.js';
import { DeclarationIndex, sampleCall } from './declarations.js';
import type { Editor } from './editor/create-editor.js';
import { createExamples } from './examples.js';
import { FunctionsPanel, SignaturePanel } from './functions-panel.js';
import { latestRun, reportOf, startRun } from './run-code.js';
import { RunOutput } from './run-output.js';
import { readSavedCode, saveCode } from './saved-code.js';
import { Unavailable } from './unavailable.js';

const era = signal<Era>('2026');
const isDryRun = signal(false);

/** Section for writing and running code that calls the server's tools, as a model does in the code form. */
export function Code() {
  const info = server.value;
  if (!info) return null;
  return (
    <Page title="Code" lead="Write a program that calls the tools, as a model does in the code form.">
      {'problem' in info.code ? (
        <Unavailable problem={info.code.problem} />
      ) : info.canCall ? (
        <Declared info={info} />
      ) : (
        <Unavailable problem="There is no server behind a saved list of tools." />
      )}
    </Page>
  );
}

function Declared({ info }: { readonly info: ServerInfo }) {
  const declarations = useResource((aborted) => api.declarations(aborted), []);
  return (
    <Loaded resource={declarations} label="Loading the declarations">
      {(value) => <Workbench info={info} declared={value} />}
    </Loaded>
  );
}

interface WorkbenchProps {
  readonly info: ServerInfo;
  readonly declared: CodeDeclarations;
}

function Workbench({ info, declared }: WorkbenchProps) {
  const index = useMemo(() => new DeclarationIndex(declared.functions), [declared]);
  const examples = useMemo(() => createExamples(declared.functions), [declared]);
  const editor = useRef<Editor>(undefined);
  const code = useRef(readSavedCode(info.name) ?? examples[0]?.code ?? '');
  const [path, setPath] = useState<string>();
  const run = latestRun.value;
  const isRunning = run !== undefined && run.call.outcome.value === undefined;

  const start = () => {
    if (latestRun.peek()?.call.outcome.peek() === undefined && latestRun.peek()) return;
    editor.current?.mark(undefined);
    startRun({ code: code.current, isDryRun: isDryRun.value, era: era.value, server: info });
  };
  const problem = run && reportOf(run)?.problem;
  useEffect(() => {
    // Mark the error only in the code that ran, because later edits move its place.
    if (problem?.line !== undefined && run?.code === editor.current?.read())
      editor.current?.mark({ line: problem.line, column: problem.column });
  }, [problem]);

  return (
    <div class="code-grid">
      <div class="stack code-main">
        <div class="row">
          {isRunning ? (
            <Button kind="danger" icon="stop" onClick={() => run.call.cancel()}>
              Stop
            </Button>
          ) : (
            <Button kind="primary" icon="try" onClick={start} aria-keyshortcuts="Control+Enter Meta+Enter">
              Run
            </Button>
          )}
          <Checkbox isChecked={isDryRun.value} onChange={(checked) => (isDryRun.value = checked)}>
            <span title="Reads run, and writes are listed with their arguments instead.">Dry run</span>
          </Checkbox>
          <span class="grow" />
          {examples.length > 0 && (
            <Select
              label="Start from an example"
              value=""
              options={[
                { value: '', label: 'Examples' },
                ...examples.map(({ title }, at) => ({ value: String(at), label: title })),
              ]}
              onChange={(at) => {
                const example = at === '' ? undefined : examples[Number(at)];
                if (example) editor.current?.write(example.code);
                editor.current?.focus();
              }}
            />
          )}
          <Segments
            label="Kind of client"
            value={era.value}
            options={[
              { value: '2026', label: '2026 client' },
              { value: '2025', label: '2025 client' },
            ]}
            onChange={(next) => (era.value = next)}
          />
        </div>
        <CodeEditor
          code={code.current}
          declarations={index}
          onChange={(next) => {
            code.current = next;
            saveCode(info.name, next);
          }}
          onRun={start}
          onFunction={setPath}
          onEditor={(next) => (editor.current = next)}
        />
        <RunOutput run={run} onGoTo={(place) => editor.current?.goTo(place)} />
      </div>
      <Questions />
      <div class="stack code-side">
        <FunctionsPanel
          declarations={index}
          allow={declared.allow}
          onInsert={(each) => editor.current?.insert(sampleCall(each))}
        />
        <SignaturePanel declared={path === undefined ? undefined : index.find(path)} />
      </div>
    </div>
  );
}
