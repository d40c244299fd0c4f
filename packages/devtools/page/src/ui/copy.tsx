import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, IconButton } from './button.js';
import { visibleText } from './text.js';
import { toast } from './toast.js';

/** Copies a text. Reports the outcome to the user. */
async function copyText(text: string, what = 'Copied'): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    toast(what);
    return true;
  } catch {
    toast('The browser does not allow to copy.');
    return false;
  }
}

interface CopyButtonProps {
  /** Pass a function to create the text only when the button is pressed. */
  readonly value: string | (() => string);
  /** Label of the button, such as "Copy address". */
  readonly label: string;
  /** Whether the label is shown beside the icon. */
  readonly hasText?: boolean | undefined;
}

export function CopyButton({ value, label, hasText }: CopyButtonProps) {
  const [isDone, setDone] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    if (!(await copyText(typeof value === 'string' ? value : value()))) return;
    setDone(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setDone(false), 1500);
  };
  const icon = isDone ? 'check' : 'copy';
  return hasText === true ? (
    <Button isSmall icon={icon} onClick={() => void copy()}>
      {label}
    </Button>
  ) : (
    <IconButton class="copy" isSmall icon={icon} label={label} onClick={() => void copy()} />
  );
}

/** Plain text with a button that copies it. */
export function CodeBlock({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <div class="code-block">
      <pre tabIndex={0} role="region" aria-label={label}>
        <bdi>{visibleText(value)}</bdi>
      </pre>
      <CopyButton value={value} label={`Copy ${label}`} />
    </div>
  );
}
