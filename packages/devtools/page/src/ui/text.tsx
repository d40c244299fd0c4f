import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { findHidden, removeHidden } from '@toolfold/analysis/text';
import type { HiddenCharacter } from '@toolfold/analysis/text';
import { classOf } from './button.js';
import { countOf } from './figures.js';

/** Maximum number of characters of a text, because the layout of longer ones freezes the page. */
const MAX_LENGTH = 100_000;

/** Maximum number of marks for hidden characters in a text, because each mark is an element. */
const MAX_MARKS = 300;

/**
 * Renders text of a server. Hidden characters become visible marks, because people must see what a model reads. Marks
 * replace direction characters, so that they cannot reorder the text around them.
 */
export function visibleText(value: string): ComponentChildren {
  const text = value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value;
  const hidden = findHidden(text);
  if (hidden.length === 0) return text;
  const nodes: ComponentChildren[] = [];
  let from = 0;
  let left = hidden.length;
  const add = (index: number, title: string, mark: string) => {
    if (index > from) nodes.push(text.slice(from, index));
    nodes.push(
      <span key={index} class="hidden-character" title={title}>
        {mark}
      </span>,
    );
  };
  for (const { index, end, code, kind, count } of runsOf(hidden)) {
    add(index, `Hidden character: ${kind}`, count > 1 ? `${nameOf(code)} ×${count}` : nameOf(code));
    from = end;
    left -= count;
  }
  if (left > 0)
    add(from, 'The text after this mark is shown without them', countOf(left, 'more hidden character'));
  const rest = text.slice(from);
  nodes.push(left > 0 ? removeHidden(rest) : rest);
  return nodes;
}

interface Run extends HiddenCharacter {
  end: number;
  count: number;
}

/** Joins adjacent equal characters, up to the limit of marks. */
function runsOf(hidden: readonly HiddenCharacter[]): readonly Run[] {
  const runs: Run[] = [];
  for (const each of hidden) {
    const last = runs.at(-1);
    if (last?.code === each.code && last.end === each.index) {
      last.end += each.length;
      last.count++;
    } else if (runs.length === MAX_MARKS) break;
    else runs.push({ ...each, end: each.index + each.length, count: 1 });
  }
  return runs;
}

const MAX_PLAIN_LENGTH = 120;

/**
 * Returns text of a server for places without markup, such as the window title: cut, and with the names of hidden
 * characters.
 */
export function plainText(value: string): string {
  const text = value.length > MAX_PLAIN_LENGTH ? `${value.slice(0, MAX_PLAIN_LENGTH)}…` : value;
  return findHidden(text).reduceRight(
    (shown, { index, length, code }) =>
      `${shown.slice(0, index)}${nameOf(code)}${shown.slice(index + length)}`,
    text,
  );
}

function nameOf(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

interface TextProps {
  readonly value: string;
  /** Number of lines after which the text is cut, with a button that shows the rest. */
  readonly clamp?: number | undefined;
  /** Estimated characters per line, to detect whether the text is cut. Default: 90. */
  readonly lineLength?: number | undefined;
  readonly isMono?: boolean | undefined;
  readonly class?: string | undefined;
}

/** Shows text of a server. It is never parsed as markup, and its direction does not affect the text around it. */
export function Text({ value, clamp, lineLength = 90, isMono, class: name }: TextProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const classes = classOf('text', isMono === true && 'mono', name);
  if (clamp === undefined) return <bdi class={classes}>{visibleText(value)}</bdi>;
  // Clamp only if much text is hidden, not for a few words.
  const isLong = value.length > (clamp + 0.7) * lineLength || value.split('\n', clamp + 2).length > clamp + 1;
  return (
    <>
      <bdi
        id={id}
        class={classOf(classes, isLong && !isOpen && 'text-clamped')}
        style={isLong && !isOpen ? { '-webkit-line-clamp': String(clamp) } : undefined}
      >
        {visibleText(value)}
      </bdi>
      {isLong && (
        <div>
          <button
            type="button"
            class="link-button small"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? 'Show less' : 'Show more'}
          </button>
        </div>
      )}
    </>
  );
}

/** Shows a name or address of a server on one line. */
export function Name({
  value,
  class: name,
}: {
  readonly value: string;
  readonly class?: string | undefined;
}) {
  return <bdi class={classOf('mono', name)}>{visibleText(value)}</bdi>;
}

/** Renders a link of a server. Only http and https URLs become links; everything else stays text. */
export function ExternalLink({
  href,
  children,
}: {
  readonly href: string;
  readonly children?: ComponentChildren;
}) {
  const text = children ?? visibleText(href);
  if (!isWebLink(href)) return <bdi>{text}</bdi>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      <bdi>{text}</bdi>
    </a>
  );
}

export function isWebLink(href: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(href) && URL.canParse(href);
}
