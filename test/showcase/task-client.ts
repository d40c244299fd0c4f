import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { toolsetKeys } from '../../examples/showcase/choices.js';
import { readAnswer } from './bookkeeper.js';
import type { Call } from './task-definition.js';

export const taskForms = ['grouped', 'flat', 'search'] as const;
export type TaskForm = (typeof taskForms)[number];

type Json = Record<string, unknown>;

export interface TaskClient {
  /** Calls an action the way a model does in this form. Throws if it fails. */
  readonly call: Call;
  /** The addresses that a search finds, best first. Only in the search form. */
  search(query: string): Promise<string[]>;
  close(): Promise<void>;
}

/** A 2026 client that calls actions by their address in one of the forms. */
export async function openTaskClient(url: string, form: TaskForm): Promise<TaskClient> {
  const client = new Client(
    { name: 'tasks', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    },
  );
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept',
    content: { allow: true },
  }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const run = async (name: string, args: Json) => {
    const { content, structuredContent, isError } = (await client.callTool({ name, arguments: args })) as {
      content: { text: string }[];
      structuredContent?: unknown;
      isError?: boolean;
    };
    const [first] = content;
    if (isError === true || content.length !== 1)
      throw new Error(`${name} ${JSON.stringify(args)}: ${content.map(({ text }) => text).join('\n')}`);
    return { text: first?.text ?? '', structuredContent };
  };
  const ask = async (name: string, args: Json): Promise<string> => (await run(name, args)).text;
  const searchTools = async (args: Json): Promise<string[]> => {
    const { tools } = (await run('search_tools', args)).structuredContent as { tools: { address: string }[] };
    return tools.map(({ address }) => address);
  };
  const writing = new Set<string>();
  if (form === 'search')
    for (const toolset of toolsetKeys)
      for (const address of await searchTools({ toolset, kind: 'write', limit: 50 })) writing.add(address);
  return {
    call: async <T>(address: string, args: Json = {}) => {
      const [tool = '', action = ''] = address.split('/');
      const text = await {
        grouped: () => ask(tool, { action, ...args }),
        flat: () => ask(`${tool}_${action.replaceAll('.', '_')}`, args),
        search: () =>
          ask(`call_${writing.has(address) ? 'write' : 'read'}_tool`, { address, arguments: args }),
      }[form]();
      return readAnswer(text) as T;
    },
    search: (query) => searchTools({ query }),
    close: () => client.close(),
  };
}
