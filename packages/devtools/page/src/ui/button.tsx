import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { Icon } from './icons.js';
import type { IconName } from './icons.js';

type ButtonKind = 'normal' | 'primary' | 'quiet' | 'danger';

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'icon'> {
  readonly kind?: ButtonKind | undefined;
  readonly isSmall?: boolean | undefined;
  readonly icon?: IconName | undefined;
  readonly children?: ComponentChildren;
}

export function classOf(...names: readonly (string | false | undefined)[]): string {
  return names.filter((name) => name !== false && name !== undefined && name !== '').join(' ');
}

export function Button({ kind = 'normal', isSmall, icon, children, ...others }: ButtonProps) {
  const name = classOf('button', kind !== 'normal' && `button-${kind}`, isSmall === true && 'button-small');
  return (
    <button type="button" {...others} class={classOf(name, others.class as string | undefined)}>
      {icon !== undefined && <Icon name={icon} size={isSmall === true ? 14 : 16} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  readonly icon: IconName;
  /** Label for screen readers, which is also the tooltip. */
  readonly label: string;
}

export function IconButton({ icon, label, kind = 'quiet', isSmall, ...others }: IconButtonProps) {
  const name = classOf(
    'button icon-button',
    kind !== 'normal' && `button-${kind}`,
    isSmall === true && 'button-small',
  );
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...others}
      class={classOf(name, others.class as string | undefined)}
    >
      <Icon name={icon} size={isSmall === true ? 14 : 16} />
    </button>
  );
}

interface LinkButtonProps {
  readonly href: string;
  readonly kind?: ButtonKind | undefined;
  readonly isSmall?: boolean | undefined;
  readonly icon?: IconName | undefined;
  readonly children: ComponentChildren;
}

/** A link that looks like a button. For addresses within the page. */
export function LinkButton({ href, kind = 'normal', isSmall, icon, children }: LinkButtonProps) {
  return (
    <a
      href={href}
      class={classOf('button', kind !== 'normal' && `button-${kind}`, isSmall === true && 'button-small')}
    >
      {icon !== undefined && <Icon name={icon} size={isSmall === true ? 14 : 16} />}
      {children}
    </a>
  );
}

interface SegmentsProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: ComponentChildren }[];
  readonly onChange: (value: T) => void;
}

/** Buttons for choosing one of a few options. */
export function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          class="segment"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
