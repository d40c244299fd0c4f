import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export const openOverlay = signal<'palette' | 'keyboard' | 'sections' | undefined>(undefined);

export function closeOverlay(): void {
  openOverlay.value = undefined;
}

function isTyping(event: KeyboardEvent): boolean {
  // In a shadow root, such as the code editor, the target of an event is only the host.
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Handles the global shortcuts. They never open an overlay above a dialog. */
export function useShortcuts(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isPalette =
        (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'k';
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event);
      const wanted =
        isPalette || (isPlain && event.key === '/')
          ? 'palette'
          : isPlain && event.key === '?'
            ? 'keyboard'
            : undefined;
      if (wanted === undefined || event.defaultPrevented) return;
      event.preventDefault();
      if (openOverlay.value === wanted) closeOverlay();
      else if (document.querySelector('dialog[open]') === null) openOverlay.value = wanted;
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
