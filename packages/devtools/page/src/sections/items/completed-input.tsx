import { useEffect, useId, useState } from 'preact/hooks';
import { complete } from '../../mcp/complete.js';
import type { CompletionRef } from '../../mcp/complete.js';
import { Field } from '../../ui/field.js';
import { Name, Text } from '../../ui/text.js';
import { endpointFor, firstEra } from './item-calls.js';

interface CompletedInputProps {
  readonly name: string;
  readonly description?: string | undefined;
  readonly isRequired: boolean;
  readonly error?: string | undefined;
  readonly value: string | undefined;
  readonly others: Readonly<Record<string, string>>;
  readonly reference: CompletionRef;
  readonly canComplete: boolean;
  readonly onChange: (value: string | undefined) => void;
}

const PAUSE_MS = 150;

/** A text field that suggests values from the server's completions. */
export function CompletedInput(props: CompletedInputProps) {
  const { name, description, isRequired, error, value, others, reference, canComplete, onChange } = props;
  const id = useId();
  const [isActive, setActive] = useState(false);
  const suggestions = useSuggestions(isActive && canComplete, {
    name,
    value: value ?? '',
    others,
    reference,
  });
  return (
    <Field
      label={
        <>
          <Name value={name} /> {isRequired && <span class="try-required">required</span>}
        </>
      }
      hint={description === undefined ? undefined : <Text value={description} clamp={3} />}
      error={error}
    >
      {(control) => (
        <>
          <input
            {...control}
            class="input"
            list={id}
            autocomplete="off"
            spellcheck={false}
            placeholder={isRequired ? '' : 'unset'}
            value={value ?? ''}
            onFocus={() => setActive(true)}
            onInput={({ currentTarget }) =>
              onChange(currentTarget.value === '' && !isRequired ? undefined : currentTarget.value)
            }
          />
          <datalist id={id}>
            {suggestions.map((suggestion) => (
              <option key={suggestion} value={suggestion} />
            ))}
          </datalist>
          {suggestions.length > 0 && (
            <div class="row items-suggestions" role="group" aria-label={`Suggestions for ${name}`}>
              {suggestions.slice(0, 8).map((suggestion) => (
                <button
                  key={suggestion}
                  type="button"
                  class="button button-small"
                  aria-pressed={suggestion === value}
                  onClick={() => onChange(suggestion)}
                >
                  <Name value={suggestion.slice(0, 60)} />
                </button>
              ))}
              {suggestions.length > 8 && <span class="soft small">{suggestions.length - 8} more</span>}
            </div>
          )}
        </>
      )}
    </Field>
  );
}

interface Suggested {
  readonly name: string;
  readonly value: string;
  readonly others: Readonly<Record<string, string>>;
  readonly reference: CompletionRef;
}

function useSuggestions(isActive: boolean, { name, value, others, reference }: Suggested): readonly string[] {
  const [suggestions, setSuggestions] = useState<readonly string[]>([]);
  const key = JSON.stringify([name, value, others, reference]);
  useEffect(() => {
    if (!isActive) return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      complete(
        endpointFor(firstEra()),
        { ref: reference, argument: { name, value }, others },
        controller.signal,
      ).then(
        (values) => {
          if (!controller.signal.aborted) setSuggestions(values);
        },
        // The field also works without suggestions.
        () => setSuggestions([]),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [isActive, key]);
  return suggestions;
}
