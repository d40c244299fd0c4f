import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/client.js';
import type { Resource } from '../api/resource.js';
import { Button, classOf } from './button.js';
import { Icon } from './icons.js';
import type { IconName } from './icons.js';
import { Text } from './text.js';

export function Spinner({ label = 'Loading' }: { readonly label?: string }) {
  return (
    <span class="spinner" role="status">
      {label}
    </span>
  );
}

interface EmptyStateProps {
  readonly title: string;
  readonly icon?: IconName | undefined;
  readonly children?: ComponentChildren;
}

/** Explains why there is nothing to show, and what the user can do about it. */
export function EmptyState({ title, icon, children }: EmptyStateProps) {
  return (
    <div class="empty">
      {icon !== undefined && <Icon name={icon} size={24} />}
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

type NoticeKind = 'error' | 'warning' | 'info' | 'ok' | 'note';

const noticeIcons: Readonly<Record<NoticeKind, IconName>> = {
  error: 'error',
  warning: 'warning',
  info: 'info',
  ok: 'check',
  note: 'info',
};

interface NoticeProps {
  readonly kind: NoticeKind;
  readonly children: ComponentChildren;
  readonly class?: string | undefined;
  /** `alert` has screen readers read it at once. */
  readonly role?: 'alert' | 'status' | undefined;
}

export function Notice({ kind, children, class: name, role }: NoticeProps) {
  return (
    <div class={classOf('notice', `notice-${kind}`, name)} role={role}>
      <Icon name={noticeIcons[kind]} />
      <div class="notice-body">{children}</div>
    </div>
  );
}

interface ErrorStateProps {
  readonly error: Pick<ApiError, 'message' | 'hint'>;
  readonly onRetry?: (() => void) | undefined;
}

export function ErrorState({ error, onRetry }: ErrorStateProps) {
  return (
    <Notice kind="error" role="alert">
      <p>
        <Text value={error.message} clamp={6} />
      </p>
      {error.hint !== undefined && (
        <p class="soft">
          <Text value={error.hint} />
        </p>
      )}
      {onRetry && (
        <p>
          <Button isSmall icon="reload" onClick={onRetry}>
            Try again
          </Button>
        </p>
      )}
    </Notice>
  );
}

interface LoadedProps<T> {
  readonly resource: Resource<T>;
  readonly label?: string | undefined;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows a resource in each of its states. While it reloads, the previous value stays visible. */
export function Loaded<T>({ resource, label, children }: LoadedProps<T>) {
  const { value, error, reload } = resource;
  return (
    <>
      {error !== undefined && <ErrorState error={error} onRetry={reload} />}
      {value !== undefined
        ? children(value)
        : error === undefined && <Spinner {...(label === undefined ? {} : { label })} />}
    </>
  );
}

export interface MeterPart {
  readonly label: string;
  readonly value: number;
  /** The custom property of its colour. Default: `--chart-1`, `--chart-2` and so on. */
  readonly colour?: `--${string}` | undefined;
}

interface MeterProps {
  readonly label: string;
  readonly parts: readonly MeterPart[];
  /** The value at the full width. Default: the sum of the parts. */
  readonly max?: number | undefined;
}

/** A bar of one or more parts, which screen readers read as text. */
export function Meter({ label, parts, max }: MeterProps) {
  const total = Math.max(
    max ?? 0,
    parts.reduce((sum, { value }) => sum + value, 0),
    1,
  );
  return (
    <div
      class="meter"
      role="img"
      aria-label={`${label}: ${parts.map((part) => `${part.label} ${part.value.toLocaleString('en')}`).join(', ')}`}
    >
      {parts.map((part, index) => (
        <span
          key={part.label}
          class="meter-part"
          style={{
            width: `${(100 * part.value) / total}%`,
            background: `var(${part.colour ?? `--chart-${(index % 5) + 1}`})`,
          }}
        />
      ))}
    </div>
  );
}
