const KEY = 'toolfold-code';

/** The code of this tab. It is kept in session storage, so it survives a reload. */
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
    // If storage is blocked, the code is kept until the page is reloaded.
  }
}
