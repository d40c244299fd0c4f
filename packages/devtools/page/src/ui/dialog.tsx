import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { classOf, IconButton } from './button.js';

interface DialogProps {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** The buttons below the content. */
  readonly foot?: ComponentChildren;
  readonly class?: string | undefined;
  /** Whether the title is only for screen readers, and there is no close button. */
  readonly isBare?: boolean | undefined;
  /** Whether a click beside the dialog closes it. Default: true. */
  readonly closesOutside?: boolean | undefined;
}

/**
 * A modal dialog. Render it to open it. The browser keeps the focus inside, and the control that had it before gets it back. Put
 * `autofocus` on a control to focus it first.
 */
export function Dialog({ title, onClose, children, foot, class: name, isBare, closesOutside }: DialogProps) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    // Browsers do not always honour `autofocus` of an element that a script inserts.
    dialog?.querySelector<HTMLElement>('[autofocus]')?.focus();
    return () => {
      dialog?.close();
      // Browsers do not restore the focus if the dialog is removed from the document.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const isHeld = useRef(false);
  return (
    <dialog
      ref={element}
      class={classOf('dialog', name)}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => (isHeld.current = event.target === element.current)}
      onClick={(event) => {
        if (closesOutside !== false && isHeld.current && event.target === element.current) onClose();
      }}
    >
      {isBare === true ? (
        <h2 id={id} class="visually-hidden">
          {title}
        </h2>
      ) : (
        <div class="dialog-head">
          <h2 id={id}>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </div>
      )}
      {isBare === true ? children : <div class="dialog-body">{children}</div>}
      {foot !== undefined && <div class="dialog-foot">{foot}</div>}
    </dialog>
  );
}
