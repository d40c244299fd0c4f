// A file for the command line to inspect and call: it exports a registry and serves nothing.
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import * as z from 'zod';

const owner = z.object({ name: z.string(), age: z.number().int().optional() });

const desk = new GroupedToolBuilder('desk')
  .description('Users and rooms')
  .commonSchema(z.object({ house: z.string().default('main').describe('Which house') }))
  .group('users', 'People', (users) =>
    users
      .action({
        name: 'list',
        description: 'Lists people',
        readOnly: true,
        inputSchema: z.object({
          limit: z.number().int().optional(),
          tag: z.array(z.string()).optional(),
          note: z.string().nullable().optional(),
          deep: z.boolean().optional(),
        }),
        handler: ({ input }) => JSON.stringify(input),
      })
      .action({
        name: 'add',
        description: 'Adds a person',
        destructive: false,
        inputSchema: z.object({ name: z.string().describe('What to call them'), owner: owner.optional() }),
        handler: ({ input }) => JSON.stringify(input),
      })
      .action({
        name: 'ban',
        description: 'Bans a person',
        destructive: true,
        idempotent: true,
        scopes: ['users:write'],
        inputSchema: z.object({ name: z.string() }),
        handler: ({ input }) => `banned ${input.name}`,
      }),
  );

export const registry = new ToolRegistry({ name: 'desk-server', version: '1.2.3' });
registry.register(
  desk,
  {
    name: 'ask',
    description: 'Asks the person',
    readOnly: true,
    inputSchema: {},
    handler: async ({ context }) => {
      const { answer } = await context.requestInput({
        answer: {
          message: 'How many?',
          schema: z.object({ count: z.number().int().describe('A number'), colour: z.enum(['red', 'blue']) }),
        },
      });
      return JSON.stringify(answer);
    },
  },
  {
    name: 'wait',
    description: 'Waits until it is cancelled, and leaves a mark then',
    readOnly: true,
    inputSchema: z.object({ marker: z.string().optional(), ms: z.number().default(60_000) }),
    handler: async ({ input, context }) => {
      await context.progress(1, 2, 'half way');
      await context.log('info', 'working');
      try {
        await sleep(input.ms, undefined, { signal: context.signal });
      } catch (error) {
        if (input.marker !== undefined) writeFileSync(input.marker, 'cancelled');
        throw error;
      }
      return 'waited';
    },
  },
  {
    name: 'media',
    description: 'Gives everything that is not text',
    readOnly: true,
    inputSchema: {},
    handler: () => ({
      content: [
        { type: 'image' as const, mimeType: 'image/png', data: Buffer.from('an image').toString('base64') },
        { type: 'audio' as const, mimeType: 'audio/wav', data: Buffer.from('a sound').toString('base64') },
        {
          type: 'resource_link' as const,
          uri: 'file:///a.txt',
          name: 'a',
          mimeType: 'text/plain',
          description: 'A file',
        },
        { type: 'resource' as const, resource: { uri: 'memo://b', mimeType: 'text/plain', text: 'inside' } },
        {
          type: 'resource' as const,
          resource: {
            uri: 'file:///../c.zip',
            mimeType: 'application/zip',
            blob: Buffer.from('zip').toString('base64'),
          },
        },
      ],
    }),
  },
  {
    name: 'data',
    description: 'Gives data and no text',
    readOnly: true,
    inputSchema: {},
    handler: () => ({ content: [], structuredContent: { a: [1, 2] } }),
  },
  {
    name: 'fail',
    description: 'Fails',
    readOnly: true,
    inputSchema: {},
    handler: () => {
      throw new Error('boom');
    },
  },
);
registry.registerPrompt({ name: 'hello', description: 'Says hello', handler: () => 'Hello' });
registry.registerResource({ name: 'memo', uri: 'memo://1', description: 'A memo', handler: () => 'text' });
