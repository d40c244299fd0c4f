import type { ToolRegistry } from 'toolfold';
import * as z from 'zod';
import { PNG } from './samples.js';

const cities = ['paris', 'park', 'party', 'rome'];

export function addPrompts(registry: ToolRegistry): void {
  registry
    .registerPrompt({
      name: 'test_simple_prompt',
      description: 'Has no arguments',
      handler: () => 'This is a simple prompt for testing.',
    })
    .registerPrompt({
      name: 'test_prompt_with_arguments',
      description: 'Has two arguments, one of which can be completed',
      inputSchema: z.object({
        arg1: z.string().describe('First test argument'),
        arg2: z.string().describe('Second test argument'),
      }),
      complete: { arg1: (typed) => cities.filter((city) => city.startsWith(typed)) },
      handler: ({ input }) => `Prompt with arguments: arg1='${input.arg1}', arg2='${input.arg2}'`,
    })
    .registerPrompt({
      name: 'test_prompt_with_embedded_resource',
      description: 'Has a resource in it',
      inputSchema: z.object({ resourceUri: z.string().describe('URI of the resource to embed') }),
      handler: ({ input }) => [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: {
              uri: input.resourceUri,
              mimeType: 'text/plain',
              text: 'Embedded resource content for testing.',
            },
          },
        },
        { role: 'user', content: { type: 'text', text: 'Please process the embedded resource above.' } },
      ],
    })
    .registerPrompt({
      name: 'test_prompt_with_image',
      description: 'Has an image in it',
      handler: () => [
        { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
        { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
      ],
    })
    .registerPrompt({
      name: 'test_input_required_result_prompt',
      description: 'Asks the person before it is filled',
      handler: async ({ context }) => {
        const { user_context: user } = await context.requestInput({
          user_context: {
            message: 'What context should the prompt use?',
            schema: z.object({ context: z.string() }),
          },
        });
        return `Use this context: ${user.content?.context ?? 'none'}`;
      },
    });
}
