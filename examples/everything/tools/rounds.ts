import type { InputQuestion, ToolRegistry } from 'toolfold';
import * as z from 'zod';
import { textOf, toModel } from './asking.js';

/**
 * Tools that ask the client, its user or its model, under the names that the conformance suite uses for 2026-07-28. The
 * first result is a question, and the client calls again with the answer.
 */
export function addRoundTools(registry: ToolRegistry): void {
  registry.register(
    {
      name: 'test_input_required_result_elicitation',
      description: 'Asks for a name',
      inputSchema: {},
      handler: async ({ context }) => {
        const { user_name: user } = await context.requestInput({ user_name: whatName });
        return `Hello, ${user.content?.name ?? 'whoever you are'}!`;
      },
    },
    {
      name: 'test_input_required_result_sampling',
      description: "Asks the client's model for a capital",
      inputSchema: {},
      handler: async ({ context }) => {
        const { capital_question: capital } = await context.requestInput({
          capital_question: toModel('What is the capital of France?'),
        });
        return textOf(capital.content);
      },
    },
    {
      name: 'test_input_required_result_list_roots',
      description: 'Asks where the client works',
      inputSchema: {},
      handler: async ({ context }) => {
        const { client_roots: where } = await context.requestInput({ client_roots: { roots: true } });
        return where.roots.map(({ uri }) => uri);
      },
    },
    {
      name: 'test_input_required_result_request_state',
      description: 'Asks for a confirmation; the state that comes back is checked',
      inputSchema: {},
      handler: async ({ context }) => {
        const { confirm } = await context.requestInput({ confirm: pleaseConfirm });
        return `state-ok: ${confirm.action}`;
      },
    },
    {
      name: 'test_input_required_result_tampered_state',
      description: 'Asks for a confirmation; a modified state is rejected',
      inputSchema: {},
      handler: async ({ context }) => {
        const { confirm } = await context.requestInput({ confirm: pleaseConfirm });
        return confirm.action;
      },
    },
    {
      name: 'test_input_required_result_multiple_inputs',
      description: 'Asks the person, the model and the client at once',
      inputSchema: {},
      handler: async ({ context }) => {
        const answers = await context.requestInput({
          user_name: whatName,
          greeting: toModel('Generate a greeting', 50),
          client_roots: { roots: true },
        });
        const name = answers.user_name.content?.name ?? 'nobody';
        return `${textOf(answers.greeting.content)} ${name}, in ${answers.client_roots.roots.length} roots`;
      },
    },
    {
      name: 'test_input_required_result_multi_round',
      description: 'Asks twice, one after the other',
      inputSchema: {},
      handler: async ({ context }) => {
        const { step1 } = await context.requestInput({
          step1: { message: 'Step 1: What is your name?', schema: z.object({ name: z.string() }) },
        });
        const { step2 } = await context.requestInput({
          step2: { message: 'Step 2: What is your favorite color?', schema: z.object({ color: z.string() }) },
        });
        return `${step1.content?.name} likes ${step2.content?.color}`;
      },
    },
    {
      name: 'test_input_required_result_capabilities',
      description: 'Asks only what the client can answer',
      inputSchema: {},
      handler: async ({ context }) => {
        const { capabilities = {} } = context.caller;
        const questions: Record<string, InputQuestion> = {
          ...('elicitation' in capabilities ? { user_name: whatName } : {}),
          ...('sampling' in capabilities ? { greeting: toModel('Generate a greeting', 50) } : {}),
        };
        return Object.keys(await context.requestInput(questions));
      },
    },
  );
}

const whatName = { message: 'What is your name?', schema: z.object({ name: z.string() }) };
const pleaseConfirm = { message: 'Please confirm', schema: z.object({ ok: z.boolean() }) };
