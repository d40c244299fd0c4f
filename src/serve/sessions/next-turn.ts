/** Resolves in the next turn of the event loop, so that other connections are served before. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    // Other runtimes than Node may have no setImmediate.
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve);
  });
}
