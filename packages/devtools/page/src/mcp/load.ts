/** Loads the official client lazily, because it is a third of the page. */
export function loadConnection() {
  // Zod probes whether it may compile code. The page's policy forbids that, and browsers report the attempt. Zod reads this setting
  // when it loads.
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
  return import('./connection.js');
}
