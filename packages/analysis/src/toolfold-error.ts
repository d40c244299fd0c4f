import { errorTable } from 'toolfold/errors';

/** Whether Toolfold threw an error. Does not use instanceof, because a loaded module may have its own copy of the package. */
export function isToolfoldError(error: unknown): error is Error & { readonly code: string } {
  const { code } = Object(error) as { readonly code?: unknown };
  return error instanceof Error && typeof code === 'string' && Object.hasOwn(errorTable, code);
}

/** Returns who can act on an error: `author`, `model` or `client`. */
export function audienceOf({ code }: { readonly code: string }): string {
  return errorTable[code as keyof typeof errorTable].audience;
}
