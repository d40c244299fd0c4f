import { errorTable } from '../errors.js';

/** Whether an error is Toolfold's. A loaded module may have its own copy of the package, so the class does not tell. */
export function isToolfoldError(error: unknown): error is Error & { readonly code: string } {
  const { code } = Object(error) as { readonly code?: unknown };
  return error instanceof Error && typeof code === 'string' && Object.hasOwn(errorTable, code);
}

/** Returns the audience of an error of Toolfold: who can act on it. */
export function audienceOf({ code }: { readonly code: string }): string {
  return errorTable[code as keyof typeof errorTable].audience;
}
