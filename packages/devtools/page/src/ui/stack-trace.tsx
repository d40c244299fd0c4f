import type { CodeFrame, Fault } from '../../../src/page-events.js';
import { placeIn } from '../../../src/live/stack-place.js';
import type { StackPlace } from '../../../src/live/stack-place.js';
import { server } from '../api/stores.js';
import { CopyButton } from './copy.js';
import { visibleText } from './text.js';

/** Shows an error in the author's code: the code at its place, and the stack with links that open an editor. */
export function StackTrace({
  fault = '',
  frame,
  label = 'Stack trace',
}: Fault & { readonly label?: string }) {
  return (
    <div class="stack stack-tight">
      {frame && <CodeLines frame={frame} />}
      <div class="code-block">
        <pre tabIndex={0} role="region" aria-label={label}>
          {fault.split('\n').map((line, index) => (
            <StackLine key={index} line={line} />
          ))}
        </pre>
        <CopyButton value={fault} label={`Copy ${label.toLowerCase()}`} />
      </div>
    </div>
  );
}

function CodeLines({ frame: { file, line, column, first, lines } }: { readonly frame: CodeFrame }) {
  const name = `${file.split(/[\\/]/).at(-1) ?? file}:${line}:${column}`;
  return (
    <figure class="code-frame" aria-label={`Code at ${name}`}>
      <figcaption>
        <span>{visibleText(name)}</span>
        <EditorLink place={{ text: 'Open in editor', file, line, column }} />
      </figcaption>
      <pre tabIndex={0} role="region" aria-label={`Lines around ${name}`}>
        {lines.map((text, index) => (
          <span key={index} class="code-line" aria-current={first + index === line ? 'true' : undefined}>
            <span class="code-number">{first + index}</span>
            <bdi>{visibleText(text)}</bdi>
          </span>
        ))}
      </pre>
    </figure>
  );
}

function StackLine({ line }: { readonly line: string }) {
  const place = placeIn(line);
  const [before = line, ...after] = place ? line.split(place.text) : [];
  return (
    <span class="code-line">
      <bdi>
        {visibleText(before)}
        {place && <EditorLink place={place} />}
        {place && visibleText(after.join(place.text))}
      </bdi>
    </span>
  );
}

function EditorLink({ place: { text, file, line, column } }: { readonly place: StackPlace }) {
  const path = file.startsWith('file://') ? file.slice('file://'.length) : encodePath(file);
  return (
    <a
      href={`${server.value?.editor ?? 'vscode'}://file${path}:${line}:${column}`}
      title={`Open in editor: line ${line}`}
    >
      {visibleText(text)}
    </a>
  );
}

/** Encodes a path for a URL. Paths of Windows get a slash before the drive. */
function encodePath(path: string): string {
  const parts = path.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  return parts.startsWith('/') ? parts : `/${parts.replace('%3A', ':')}`;
}
