type Locales = Intl.LocalesArgument;

const MAX_COLLATORS = 20;

const readers = {
  number: Number,
  date: (text: string) => new Date(Number(text)),
  string: String,
  bigint: BigInt,
} as const;

const collators = new Map<string, Intl.Collator>();

/**
 * Formats or compares values of the code with `Intl` of this runtime: in American English and UTC, unless the code chooses. The prelude
 * sets `type` and `method`. Returns the text after `=`, or the problem after `!`.
 */
export function localize(type: string, method: string, text: string, choice: string, other: string): string {
  try {
    const [locales, options] = choice === '' ? [] : (JSON.parse(choice) as [Locales | null, object | null]);
    const chosen = locales ?? 'en-US';
    if (method === 'localeCompare') return `=${collatorFor(choice, chosen, options).compare(text, other)}`;
    const value = readers[type as keyof typeof readers](text) as unknown as Record<
      string,
      (...args: unknown[]) => string
    >;
    const zone = type === 'date' ? { timeZone: 'UTC' } : {};
    return `=${value[method]?.(chosen, { ...zone, ...options })}`;
  } catch (error) {
    return `!${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Caches collators, because creating one takes longer than sorting a short list. */
function collatorFor(choice: string, locales: Locales, options: object | null | undefined): Intl.Collator {
  let collator = collators.get(choice);
  if (!collator) {
    if (collators.size >= MAX_COLLATORS) collators.clear();
    collators.set(choice, (collator = new Intl.Collator(locales, options ?? {})));
  }
  return collator;
}
