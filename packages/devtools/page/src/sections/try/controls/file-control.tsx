import { useState } from 'preact/hooks';
import { encodeBase64 } from '../../../mcp/base64.js';
import { Text } from '../../../ui/text.js';
import type { FileField } from '../form/field.js';
import type { ControlOf } from './control.js';
import { ControlFrame } from './field-frame.js';

/** Maximum size of a file in bytes. Base64 is a third longer, and the server limits requests too. */
const MAX_BYTES = 20 * 1024 * 1024;

/** A control that sends a file as base64. */
export function FileControl(props: ControlOf<FileField>) {
  const { field, draft, onChange } = props;
  const [problem, setProblem] = useState<string>();
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    if (file.size > MAX_BYTES) return setProblem(`${file.name} is larger than ${formatBytes(MAX_BYTES)}.`);
    setProblem(undefined);
    const bytes = new Uint8Array(await file.arrayBuffer());
    onChange({ value: encodeBase64(bytes), file: { name: file.name, size: file.size } });
  };
  const value =
    draft !== undefined && 'value' in draft && typeof draft.value === 'string' ? draft.value : undefined;
  const file = draft !== undefined && 'value' in draft ? draft.file : undefined;
  return (
    <ControlFrame {...props}>
      {(control) => (
        <div class="grow stack stack-tight">
          <input
            {...control}
            class="input"
            type="file"
            accept={field.mediaType}
            onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
          />
          {value !== undefined && (
            <span class="hint">
              <Text
                value={
                  file === undefined
                    ? `${formatBytes(bytesOf(value))} of base64`
                    : `${file.name}, ${formatBytes(file.size)}`
                }
              />
            </span>
          )}
          {problem !== undefined && (
            <span class="field-error" role="alert">
              <Text value={problem} />
            </span>
          )}
        </div>
      )}
    </ControlFrame>
  );
}

/** Returns the number of bytes that a base64 text encodes. */
export function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  if (bytes < 1_024 ** 2) return `${(bytes / 1_024).toFixed(1)} KiB`;
  return `${(bytes / 1_024 ** 2).toFixed(1)} MiB`;
}
