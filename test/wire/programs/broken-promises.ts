/** A server that breaks one promise in each action, for the tests of `toolfold test`. */
import { ErrProtocol } from 'toolfold/errors';
import { GroupedToolBuilder, ToolRegistry, error } from 'toolfold';
import * as z from 'zod';

const notes: string[] = [];
let count = 0;

const planted = new GroupedToolBuilder('planted')
  .action({
    name: 'crash',
    description: 'Crashes for a limit above 20',
    readOnly: true,
    inputSchema: z.object({ limit: z.int().min(0).max(1_000), label: z.string().optional() }),
    handler: ({ input }) => {
      const rows: { id: number }[] = [{ id: 1 }];
      return input.limit > 20 ? (rows[input.limit] as { id: number }).id : rows[0]?.id;
    },
  })
  .action({
    name: 'output',
    description: 'Returns a text where a number is promised, for long names',
    readOnly: true,
    inputSchema: z.object({ name: z.string() }),
    outputSchema: z.object({ size: z.number() }),
    handler: ({ input }) => ({ size: (input.name.length > 3 ? 'long' : 1) as number }),
  })
  .action({
    name: 'unreadable',
    description: 'Fails with an object instead of a text',
    readOnly: true,
    inputSchema: z.object({ id: z.int() }),
    handler: ({ input }) => (input.id > 5 ? error(String({ id: input.id })) : 'found'),
  })
  .action({
    name: 'protocol',
    description: 'Answers with a protocol error for some ids',
    readOnly: true,
    inputSchema: z.object({ id: z.int() }),
    handler: ({ input }) => {
      if (input.id < 0) throw new ErrProtocol('Internal error', { rpcCode: -32_603 });
      return 'found';
    },
  })
  .action({
    name: 'count',
    description: 'Returns another number for each call',
    destructive: false,
    idempotent: true,
    inputSchema: z.object({}),
    handler: () => String(++count),
  })
  .action({
    name: 'append',
    description: 'Adds a note in each call',
    destructive: false,
    idempotent: true,
    inputSchema: z.object({ note: z.string() }),
    handler: ({ input }) => {
      notes.push(input.note);
      return 'added';
    },
  })
  .action({
    name: 'notes',
    description: 'Lists the notes',
    readOnly: true,
    inputSchema: z.object({}),
    handler: () => notes,
  });

const kept = new GroupedToolBuilder('kept')
  .action({
    name: 'find',
    description: 'Keeps its promises',
    readOnly: true,
    inputSchema: z.object({
      id: z.uuid(),
      email: z.email().optional(),
      since: z.iso.datetime().optional(),
      sort: z.enum(['name', 'age']).optional(),
      tags: z.array(z.string().min(1)).max(3).optional(),
      size: z.number().positive().multipleOf(0.5).optional(),
      code: z
        .string()
        .regex(/^[A-Z]{2}-\d{3}$/)
        .optional(),
    }),
    outputSchema: z.object({ id: z.string() }),
    handler: ({ input }) => ({ id: input.id }),
  })
  .action({
    name: 'set',
    description: 'Sets a value',
    destructive: false,
    idempotent: true,
    inputSchema: z.object({ value: z.string() }),
    handler: ({ input }) => `set to ${input.value} at ${new Date().toISOString()}`,
  })
  .action({
    name: 'pay',
    description: 'Pays once for each key',
    destructive: false,
    inputSchema: z.object({ key: z.string().min(1), amount: z.int().positive() }),
    idempotency: { field: 'key' },
    handler: ({ input }) => `receipt ${++count} over ${input.amount}`,
  })
  .action({
    name: 'purge',
    description: 'Deletes everything',
    destructive: true,
    inputSchema: z.object({}),
    handler: () => {
      notes.length = 0;
      return 'gone';
    },
  })
  .action({
    name: 'guess',
    description: 'Says nothing about its effects',
    inputSchema: z.object({}),
    handler: () => 'done',
  });

export const registry = new ToolRegistry({ name: 'promises', version: '1.0.0' }).register(planted, kept);
