import { setTimeout as sleep } from 'node:timers/promises';
import { ErrProtocol } from 'toolfold/errors';
import type { ToolRegistry } from 'toolfold';
import * as z from 'zod';

const SECOND = 1_000;
const confirm = z.object({ confirm: z.boolean() });

/** Long-running tools, for which clients that support tasks get a task and poll it. `greet` is short, to compare. */
export function addTaskTools(registry: ToolRegistry): void {
  registry.register(
    {
      name: 'greet',
      description: 'Greets somebody, at once',
      inputSchema: z.object({ name: z.string() }),
      readOnly: true,
      handler: ({ input }) => `Hello, ${input.name}!`,
    },
    {
      name: 'slow_compute',
      description: 'Takes so many seconds',
      inputSchema: z.object({ seconds: z.number().min(0), label: z.string().optional() }),
      readOnly: true,
      task: { pollIntervalMs: 200 },
      handler: async ({ input, context }) => {
        await sleep(input.seconds * SECOND, undefined, { signal: context.signal });
        return `${input.label ?? 'It'} took ${input.seconds} s.`;
      },
    },
    {
      name: 'failing_job',
      description: 'Fails after a second; only for clients that know tasks',
      inputSchema: {},
      task: { required: true },
      handler: async () => {
        await sleep(SECOND);
        throw new Error('The job has failed.');
      },
    },
    {
      name: 'protocol_error_job',
      description: 'Ends with an error of the protocol',
      inputSchema: {},
      task: true,
      handler: () => {
        throw new ErrProtocol('The job could not be run.', { rpcCode: -32_603 });
      },
    },
    {
      name: 'confirm_delete',
      description: 'Asks while it runs whether to delete a file',
      inputSchema: z.object({ filename: z.string() }),
      destructive: true,
      task: true,
      handler: async ({ input, context }) => {
        const { sure } = await context.requestInput({
          sure: { message: `Delete ${input.filename}?`, schema: confirm },
        });
        return sure.content?.confirm === true ? `Deleted ${input.filename}.` : 'Nothing was deleted.';
      },
    },
    {
      name: 'multi_input',
      description: 'Asks two things while it runs, which may be answered one by one',
      inputSchema: {},
      task: true,
      handler: async ({ context }) => {
        const { name, sure } = await context.requestInput({
          name: { message: 'Who are you?', schema: z.object({ name: z.string() }) },
          sure: { message: 'Are you sure?', schema: confirm },
        });
        return `${name.content?.name}: ${String(sure.content?.confirm)}`;
      },
    },
    {
      name: 'test_tool_with_task',
      description: 'Asks for a name before it becomes a task',
      inputSchema: {},
      task: { required: true, input: 'before' },
      handler: async ({ context }) => {
        const { user_name: user } = await context.requestInput({
          user_name: { message: 'What is your name?', schema: z.object({ name: z.string() }) },
        });
        await sleep(SECOND / 10, undefined, { signal: context.signal });
        return `Hello, ${user.content?.name}!`;
      },
    },
  );
}
