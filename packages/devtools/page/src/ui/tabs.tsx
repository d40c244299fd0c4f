import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

interface TabItem<T extends string> {
  readonly key: T;
  readonly label: ComponentChildren;
  readonly render: () => ComponentChildren;
}

interface TabsProps<T extends string> {
  readonly label: string;
  readonly tabs: readonly TabItem<T>[];
  /** The selected tab, if the caller controls it. */
  readonly value?: T | undefined;
  readonly onChange?: ((key: T) => void) | undefined;
}

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Tabs. Only the selected one is rendered. */
export function Tabs<T extends string>({ label, tabs, value, onChange }: TabsProps<T>) {
  const id = useId();
  const [own, setOwn] = useState<T | undefined>(undefined);
  const wanted = value ?? own;
  const chosen = tabs.find(({ key }) => key === wanted) ?? tabs[0];
  if (!chosen) return null;
  const choose = (key: T) => {
    setOwn(key);
    onChange?.(key);
  };
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const at = tabs.indexOf(chosen);
    const step = steps[event.key];
    const next =
      event.key === 'Home'
        ? 0
        : event.key === 'End'
          ? tabs.length - 1
          : step === undefined
            ? undefined
            : (at + step + tabs.length) % tabs.length;
    const tab = next === undefined ? undefined : tabs[next];
    if (!tab || next === undefined) return;
    event.preventDefault();
    choose(tab.key);
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <div>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ key, label: name }) => (
          <button
            key={key}
            id={`${id}-tab-${key}`}
            type="button"
            role="tab"
            class="tab"
            aria-selected={key === chosen.key}
            aria-controls={key === chosen.key ? `${id}-panel` : undefined}
            tabIndex={key === chosen.key ? 0 : -1}
            onClick={() => choose(key)}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        id={`${id}-panel`}
        class="tab-panel"
        role="tabpanel"
        aria-labelledby={`${id}-tab-${chosen.key}`}
        tabIndex={0}
        key={chosen.key}
      >
        {chosen.render()}
      </div>
    </div>
  );
}
