import type { InputAnswer, SamplingAnswer, SamplingQuestion, ToolRegistry } from 'toolfold';
import * as z from 'zod';

/** Tools that ask the client's user or model. */
export function addAskingTools(registry: ToolRegistry): void {
  registry.register(
    {
      name: 'test_sampling',
      description: "Asks the client's model",
      inputSchema: z.object({ prompt: z.string().describe('What to ask') }),
      handler: async ({ input, context }) => {
        const { reply } = await context.requestInput({ reply: toModel(input.prompt) });
        return `LLM response: ${textOf(reply.content)}`;
      },
    },
    {
      name: 'test_elicitation',
      description: 'Asks the person for a user name and an address',
      inputSchema: z.object({ message: z.string().describe('The text that the person reads') }),
      handler: async ({ input, context }) => {
        const { user } = await context.requestInput({
          user: {
            message: input.message,
            schema: z.object({
              username: z.string().describe("User's response"),
              email: z.string().describe("User's email address"),
            }),
          },
        });
        return `User response: ${describe(user)}`;
      },
    },
    {
      name: 'test_elicitation_sep1034_defaults',
      description: 'Asks with a default for every kind of field',
      inputSchema: {},
      handler: async ({ context }) => {
        const { profile } = await context.requestInput({
          profile: {
            message: 'Please check your profile',
            schema: z.object({
              name: z.string().default('John Doe'),
              age: z.int().default(30),
              score: z.number().default(95.5),
              status: z.enum(['active', 'inactive', 'pending']).default('active'),
              verified: z.boolean().default(true),
            }),
          },
        });
        return `Elicitation completed: ${describe(profile)}`;
      },
    },
    {
      name: 'test_elicitation_sep1330_enums',
      description: 'Asks for choices in every form that there is',
      inputSchema: {},
      handler: async ({ context }) => {
        const { choices } = await context.requestInput({
          choices: { message: 'Please choose', schema: choiceForms },
        });
        return `Elicitation completed: ${describe(choices)}`;
      },
    },
    {
      name: 'test_missing_capability',
      description: 'Needs a client that lets its model be asked',
      inputSchema: {},
      handler: async ({ context }) => {
        const { reply } = await context.requestInput({ reply: toModel('Say hello') });
        return textOf(reply.content);
      },
    },
    {
      name: 'test_streaming_elicitation',
      description: 'Reports progress, then asks',
      inputSchema: {},
      handler: async ({ context }) => {
        await context.progress(1, 2);
        const { user } = await context.requestInput({
          user: { message: 'Who are you?', schema: { name: z.string() } },
        });
        await context.progress(2, 2);
        return describe(user);
      },
    },
  );
}

const choiceForms = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: {
      type: 'string',
      oneOf: [
        { const: 'value1', title: 'First Option' },
        { const: 'value2', title: 'Second Option' },
        { const: 'value3', title: 'Third Option' },
      ],
    },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'value1', title: 'First Choice' },
          { const: 'value2', title: 'Second Choice' },
          { const: 'value3', title: 'Third Choice' },
        ],
      },
    },
  },
};

/** A question to the client's model. */
export function toModel(text: string, maxTokens = 100): SamplingQuestion {
  return { sampling: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens } };
}

/** The text of the model's answer. */
export function textOf(content: SamplingAnswer['content']): string {
  return 'text' in content ? content.text : JSON.stringify(content);
}

function describe({ action, content }: InputAnswer<unknown>): string {
  return `action=${action}, content=${JSON.stringify(content ?? {})}`;
}
