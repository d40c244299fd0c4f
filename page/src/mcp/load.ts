/** Loads the official client, which is a third of the page, when it is needed. */
export function loadConnection() {
  // The client uses zod, which tries whether it may compile code. The page's policy forbids that, and browsers report even the
  // attempt. zod reads this setting when it is loaded.
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
  return import('./connection.js');
}
