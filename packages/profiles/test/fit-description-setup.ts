import { generateDescription } from 'toolfold';
import type { DescriptionGenerator, DescriptionInput } from 'toolfold';
import { fitDescription } from '@toolfold/profiles/internal';

/** The description of a tool within a length, and the part of it that the discriminator describes. */
export const fit = (
  tool: DescriptionInput,
  maxLength: number,
  strategy: DescriptionGenerator = generateDescription,
) => {
  const { description, inputSchema } = fitDescription(
    {
      description: strategy(tool),
      inputSchema: {
        type: 'object',
        properties: {
          action: { enum: tool.actions.map(({ key }) => key), description: 'Which action to run' },
        },
      },
    },
    maxLength,
  );
  const { action } = inputSchema['properties'] as { action: { description: string } };
  return { description, details: action.description.replace(/^Which action to run\.?\n?/, '') };
};
