/** API keys of five callers: one for the calls that are measured, and four hostile ones. */
export const keys = Array.from(
  { length: 5 },
  (_, index) => `key-of-caller-${index}-0123456789abcdef0123456789`,
);
