import { expect } from 'vitest';
import { summarize } from '../../src/compile/description-generator.js';
import type { DescribedAction, DescriptionInput } from '../../src/compile/description-generator.js';
import { generateToonDescription } from 'toolfold';

export const action = (
  actionName: string,
  groupName?: string,
  { required = [], ...rest }: Partial<DescribedAction> & { required?: readonly string[] } = {},
): DescribedAction => ({
  key: groupName === undefined ? actionName : `${groupName}.${actionName}`,
  actionName,
  groupName,
  input: { required },
  ...rest,
});

/** The text after the summary. */
export const table = (tool: DescriptionInput): string => {
  const text = generateToonDescription(tool);
  expect(text.startsWith(`${summarize(tool)}\n`)).toBe(true);
  return text.slice(summarize(tool).length + 1);
};
