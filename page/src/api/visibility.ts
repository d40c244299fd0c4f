/** Milliseconds after which a hidden tab gives up its connections, so that a short look at another tab costs nothing. */
export const HIDDEN_MS = 5_000;

/** Calls the listeners when the tab has been hidden for a while, and as soon as it is shown again. */
export function watchVisibility({
  onHidden,
  onShown = () => {},
}: {
  readonly onHidden: () => void;
  readonly onShown?: () => void;
}): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    if (document.visibilityState === 'hidden') timer = setTimeout(onHidden, HIDDEN_MS);
    else onShown();
  };
  document.addEventListener('visibilitychange', look);
  look();
}
