import { useMemo, useState } from 'preact/hooks';
import { linkTo } from '../../routes.js';
import { EmptyState } from '../../ui/feedback.js';
import { SearchField } from '../../ui/field.js';
import { countOf } from '../../ui/figures.js';
import { VirtualList } from '../../ui/list/virtual-list.js';
import { Text, visibleText } from '../../ui/text.js';
import type { DeclarationIndex, DeclaredFunction } from './declarations.js';

interface FunctionsPanelProps {
  readonly declarations: DeclarationIndex;
  readonly allow: 'read' | 'write';
  readonly onInsert: (declared: DeclaredFunction) => void;
}

const ROW = 50;

/** Lists the functions that code may call. Choosing one inserts its call at the cursor. */
export function FunctionsPanel({ declarations, allow, onInsert }: FunctionsPanelProps) {
  const [text, setText] = useState('');
  const found = useMemo(() => declarations.search(text), [declarations, text]);
  return (
    <section class="panel code-functions" aria-label="Functions">
      <div class="code-functions-head">
        <h2>Functions</h2>
        <p class="small soft">
          {allow === 'read'
            ? 'Code may call actions that only read.'
            : 'Code may also write. Destructive calls ask first.'}
        </p>
        <SearchField label="Find a function" value={text} onChange={setText} />
        <p class="small soft" aria-live="polite">
          {found.length === declarations.functions.length
            ? countOf(found.length, 'function')
            : `${found.length.toLocaleString('en')} of ${countOf(declarations.functions.length, 'function')}`}
        </p>
      </div>
      {found.length === 0 ? (
        <EmptyState title={text === '' ? 'Code can call nothing here' : 'No function matches'}>
          {text === '' && allow === 'read' && (
            <p>No action has readOnly: true. Declare it where it is true.</p>
          )}
        </EmptyState>
      ) : (
        <div class="code-functions-list">
          <VirtualList
            label="Functions that code may call"
            count={found.length}
            rowHeight={ROW}
            keyOf={(index) => found[index]?.path ?? index}
          >
            {(index) => {
              const declared = found[index];
              return declared ? <FunctionRow declared={declared} onInsert={onInsert} /> : null;
            }}
          </VirtualList>
        </div>
      )}
    </section>
  );
}

function FunctionRow({
  declared,
  onInsert,
}: {
  readonly declared: DeclaredFunction;
  readonly onInsert: (declared: DeclaredFunction) => void;
}) {
  const { path, description, signature } = declared;
  return (
    <button
      type="button"
      class="code-function"
      title={`Insert ${signature}`.slice(0, 500)}
      onClick={() => onInsert(declared)}
    >
      <bdi class="mono truncate">{visibleText(path)}</bdi>
      <bdi class="small soft truncate">
        {visibleText(description?.split('\n', 1)[0]?.slice(0, 200) ?? '')}
      </bdi>
    </button>
  );
}

/** Shows the arguments and the description of the function at the cursor. */
export function SignaturePanel({ declared }: { readonly declared: DeclaredFunction | undefined }) {
  return (
    <section class="panel code-signature" aria-label="Function at the cursor" tabIndex={0}>
      {declared ? (
        <>
          <div class="row row-between">
            <bdi class="mono strong">{visibleText(`tools.${declared.path}`)}</bdi>
            <a class="small" href={linkTo('surface', declared.address)}>
              Open in Surface
            </a>
          </div>
          {declared.description !== undefined && (
            <p class="soft">
              <Text value={declared.description} clamp={4} />
            </p>
          )}
          {declared.fields.length > 0 && (
            <dl class="code-fields small">
              {declared.fields.map(({ name, type, isRequired, description }) => (
                <div key={name}>
                  <dt class="mono">
                    <bdi class="strong">{visibleText(name)}</bdi>
                    {isRequired ? '' : '?'}: <bdi class="soft">{visibleText(type.slice(0, 300))}</bdi>
                  </dt>
                  {description !== undefined && (
                    <dd class="soft">
                      <Text value={description} clamp={2} />
                    </dd>
                  )}
                </div>
              ))}
            </dl>
          )}
          <Text value={declared.signature} isMono class="small faint" clamp={4} />
        </>
      ) : (
        <p class="small soft">Move the cursor to a call to see what its function takes and does.</p>
      )}
    </section>
  );
}
