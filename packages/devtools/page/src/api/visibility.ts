/** Milliseconds before a hidden tab closes its connections, so that a quick look at another tab is free. */
const HIDDEN_MS = 5_000;

/** Calls the listeners when the tab has been hidden for a while, and as soon as it is visible. */
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
