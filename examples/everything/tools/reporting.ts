import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolRegistry } from 'toolfold';

const STEP_MS = 50;

/** Tools that send log messages or progress, or close their stream, before they finish. */
export function addReportingTools(registry: ToolRegistry): void {
  registry.register(
    {
      name: 'test_tool_with_logging',
      description: 'Sends three log messages while it runs',
      inputSchema: {},
      readOnly: true,
      handler: async ({ context }) => {
        await context.log('info', 'Tool execution started');
        await sleep(STEP_MS);
        await context.log('info', 'Tool processing data');
        await sleep(STEP_MS);
        await context.log('info', 'Tool execution completed');
        return 'Logged three times.';
      },
    },
    {
      name: 'test_logging_tool',
      description: 'Sends a log message of each level',
      inputSchema: {},
      readOnly: true,
      handler: async ({ context }) => {
        for (const level of ['debug', 'info', 'warning', 'error'] as const)
          await context.log(level, { said: level }, 'everything');
        return 'Logged.';
      },
    },
    {
      name: 'test_tool_with_progress',
      description: 'Reports how far it has come, three times',
      inputSchema: {},
      readOnly: true,
      handler: async ({ context }) => {
        await context.progress(0, 100);
        await sleep(STEP_MS);
        await context.progress(50, 100);
        await sleep(STEP_MS);
        await context.progress(100, 100);
        // Some clients drop progress that arrives in the same chunk as the answer.
        await sleep(STEP_MS);
        return 'Reported three times.';
      },
    },
    {
      name: 'test_reconnection',
      description: 'Lets the connection go while it runs; the client comes back for the answer',
      inputSchema: {},
      readOnly: true,
      handler: async ({ context }) => {
        await sleep(STEP_MS);
        context.releaseConnection();
        await sleep(STEP_MS);
        return 'This came after the connection was let go.';
      },
    },
  );
}
