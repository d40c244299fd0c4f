import { useEffect, useRef, useState } from 'preact/hooks';
import type { ControlProps } from '../../ui/field.js';

const WAIT_MS = 300;

interface LateInputProps {
  readonly control: ControlProps;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string | undefined;
  readonly isMultiline?: boolean | undefined;
}

/** A text field that applies changes when the user pauses or leaves it, because every change sends a request. */
export function LateInput({ control, value, onChange, placeholder, isMultiline }: LateInputProps) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const own = useRef(value);
  useEffect(() => {
    // The value was changed by a link or another control.
    if (value !== own.current) setText(value);
    own.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (next: string): void => {
    clearTimeout(timer.current);
    if (next === own.current) return;
    own.current = next;
    onChange(next);
  };
  const type = (next: string): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => apply(next), WAIT_MS);
  };
  const props = {
    ...control,
    class: 'input input-mono',
    value: text,
    placeholder,
    autocomplete: 'off',
    spellcheck: false,
  } as const;
  return isMultiline === true ? (
    <textarea
      {...props}
      rows={3}
      onInput={({ currentTarget }) => type(currentTarget.value)}
      onBlur={({ currentTarget }) => apply(currentTarget.value)}
    />
  ) : (
    <input
      {...props}
      onInput={({ currentTarget }) => type(currentTarget.value)}
      onBlur={({ currentTarget }) => apply(currentTarget.value)}
    />
  );
}
