const KEY = 'toolfold-code';

/** The code of this tab, which survives a reload. */
export function readSavedCode(server: string): string | undefined {
  try {
    return sessionStorage.getItem(`${KEY} ${server}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function saveCode(server: string, code: string): void {
  try {
    sessionStorage.setItem(`${KEY} ${server}`, code);
  } catch {
    // Without storage the code is kept until the page is reloaded.
  }
}
