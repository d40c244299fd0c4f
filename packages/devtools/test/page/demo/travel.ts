import { GroupedToolBuilder } from 'toolfold';
import * as z from 'zod';

const place = z.object({
  city: z.string().describe('City'),
  point: z.tuple([z.number(), z.number()]).optional().describe('Latitude and longitude'),
});

/** A tool whose actions have every kind of field. */
export function travel(): GroupedToolBuilder {
  const builder = new GroupedToolBuilder('travel', { namespace: 'acme', version: '2.1.0' })
    .description('Trips, and what they cost')
    .commonSchema(z.object({ traveller: z.string().describe('Who travels') }))
    .group('trips', 'Journeys from one place to another', (group) =>
      group
        .action({
          name: 'plan',
          title: 'Plan a trip',
          description: 'Plans a trip with stops',
          readOnly: true,
          openWorld: true,
          inputSchema: z.object({
            from: place.describe('Where it begins'),
            to: place.describe('Where it ends'),
            stops: z.array(place).max(5).optional().describe('Places on the way'),
            leave: z.iso.datetime().describe('When it begins'),
            back: z
              .union([z.iso.date(), z.literal('never')])
              .optional()
              .describe('When it ends'),
            by: z
              .array(z.enum(['train', 'bus', 'plane', 'bicycle']))
              .min(1)
              .describe('Means of transport'),
            budget: z.number().min(0).max(100_000).multipleOf(0.01).optional().describe('In EUR'),
            options: z.record(z.string(), z.boolean()).optional().describe('Further wishes'),
          }),
          handler: ({ input }) => ({ legs: (input.stops?.length ?? 0) + 1, by: input.by }),
        })
        .action({
          name: 'upload_ticket',
          description: 'Stores the file of a ticket',
          destructive: false,
          idempotent: true,
          inputSchema: {
            type: 'object',
            properties: {
              file: {
                type: 'string',
                contentEncoding: 'base64',
                contentMediaType: 'application/pdf',
                description: 'The file',
              },
              name: { type: 'string', maxLength: 80, description: 'Its name' },
              valid: { type: 'string', format: 'date', description: 'The last day of the ticket' },
              remind: { type: 'string', format: 'time', description: 'When to remind the traveller' },
              link: { type: 'string', format: 'uri', description: 'Where it was bought' },
              price: {
                anyOf: [{ type: 'number', minimum: 0 }, { type: 'null' }],
                default: null,
                description: 'The price, if it is known',
              },
            },
            required: ['file', 'name'],
          },
          handler: ({ input }) => {
            const { name, file } = input as unknown as { name: string; file: string };
            return { name, bytes: Buffer.from(file, 'base64').length };
          },
        }),
    )
    .group('expenses', 'What a trip cost', (group) =>
      group.action({
        name: 'add',
        description: 'Adds an expense',
        destructive: false,
        scopes: ['money'],
        inputSchema: z.object({
          expense: z
            .union([
              z.object({ meal: z.enum(['breakfast', 'lunch', 'dinner']), amount: z.number() }),
              z.object({ nights: z.int().min(1), hotel: z.string(), amount: z.number() }),
              z.number().describe('Just an amount'),
            ])
            .describe('A meal, a hotel or an amount'),
        }),
        handler: ({ input }) => ({ added: input.expense }),
      }),
    );
  return builder as unknown as GroupedToolBuilder;
}
