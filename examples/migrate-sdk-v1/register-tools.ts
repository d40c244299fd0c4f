import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';

const notes = new Map([['1', 'Buy milk']]);

export function readNote(id: string): string {
  const text = notes.get(id);
  if (text === undefined) throw new Error(`There is no note ${id}.`);
  return text;
}

export function registerTools(server: McpServer): void {
  server.tool('read_note', 'Reads a note', { id: z.string() }, { readOnlyHint: true }, async ({ id }) => ({
    content: [{ type: 'text', text: readNote(id) }],
  }));
  server.registerTool(
    'count_words',
    {
      description: 'Counts the words of a note',
      inputSchema: { id: z.string(), longest: z.boolean().optional() },
      outputSchema: { words: z.number(), longest: z.string().optional() },
      annotations: { readOnlyHint: true },
    },
    async ({ id, longest }) => {
      const words = readNote(id).split(' ');
      const last = words.toSorted((a, b) => a.length - b.length).at(-1);
      const structuredContent = { words: words.length, ...(longest ? { longest: last } : {}) };
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    },
  );
  server.registerTool(
    'write_note',
    {
      description: 'Writes a note',
      inputSchema: { id: z.string(), text: z.string().min(1) },
      annotations: { destructiveHint: true },
    },
    async ({ id, text }, extra) => {
      const progressToken = extra._meta?.progressToken;
      if (progressToken !== undefined) {
        const params = { progressToken, progress: 1, total: 1 };
        await extra.sendNotification({ method: 'notifications/progress', params });
      }
      notes.set(id, text);
      return { content: [{ type: 'text', text: `note ${id} is written` }] };
    },
  );
}
