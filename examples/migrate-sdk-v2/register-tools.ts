import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

const notes = new Map([['1', 'Buy milk']]);

export function readNote(id: string): string {
  const text = notes.get(id);
  if (text === undefined) throw new Error(`There is no note ${id}.`);
  return text;
}

export function registerTools(server: McpServer): void {
  server.registerTool(
    'read_note',
    {
      description: 'Reads a note',
      inputSchema: z.object({ id: z.string() }),
      annotations: { readOnlyHint: true },
    },
    async ({ id }) => ({ content: [{ type: 'text', text: readNote(id) }] }),
  );
  server.registerTool(
    'count_words',
    {
      description: 'Counts the words of a note',
      inputSchema: z.object({ id: z.string() }),
      outputSchema: z.object({ words: z.number() }),
      annotations: { readOnlyHint: true },
    },
    async ({ id }) => {
      const structuredContent = { words: readNote(id).split(' ').length };
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    },
  );
  server.registerTool(
    'write_note',
    {
      description: 'Writes a note',
      inputSchema: z.object({ id: z.string(), text: z.string().min(1) }),
      annotations: { destructiveHint: true },
    },
    async ({ id, text }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined) {
        const params = { progressToken, progress: 1, total: 1 };
        await mcpReq.notify({ method: 'notifications/progress', params });
      }
      notes.set(id, text);
      return { content: [{ type: 'text', text: `note ${id} is written` }] };
    },
  );
}
