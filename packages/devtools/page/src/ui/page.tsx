import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { server } from '../api/stores.js';
import { classOf } from './button.js';
import { plainText } from './text.js';

interface PageProps {
  readonly title: string;
  /** The item that the section shows, such as an address. It comes first in the title of the window. */
  readonly subject?: string | undefined;
  /** One or two sentences below the title. */
  readonly lead?: ComponentChildren;
  /** Controls beside the title. */
  readonly actions?: ComponentChildren;
  /** Whether the section fills the window and scrolls its parts itself. */
  readonly isFill?: boolean | undefined;
  /** Whether the title is only for screen readers. */
  readonly hidesTitle?: boolean | undefined;
  readonly children: ComponentChildren;
}

let isFirstPage = true;

/** The outline of every section: its only h1, which gets the focus when the section opens, and the title of the window. */
export function Page({ title, subject, lead, actions, isFill, hidesTitle, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { name } = server.value ?? { name: 'Toolfold' };
  useEffect(() => {
    document.title = [subject, title, name]
      .filter((part) => part !== undefined)
      .map(plainText)
      .join(' · ');
  }, [subject, title, name]);
  useEffect(() => {
    // On page load, leave the focus to the browser.
    if (!isFirstPage) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);
  const head = (
    <h1 ref={heading} tabIndex={-1} class={classOf(hidesTitle === true && 'visually-hidden')}>
      {title}
    </h1>
  );
  return (
    <div class={classOf('page', isFill === true && 'page-fill')}>
      {hidesTitle === true && lead === undefined && actions === undefined ? (
        head
      ) : (
        <div class="page-head">
          <div class="page-title">
            {head}
            {lead !== undefined && <p class="page-lead">{lead}</p>}
          </div>
          {actions !== undefined && <div class="page-actions">{actions}</div>}
        </div>
      )}
      {isFill === true ? <div class="page-body">{children}</div> : children}
    </div>
  );
}
