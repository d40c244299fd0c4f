import * as z from 'zod';
import type { ToolRegistry } from 'toolfold';
import { PNG } from './content-tools.js';

const cities = ['Paris', 'Pisa', 'Prague', 'Rome'];

export function addOthers(registry: ToolRegistry): void {
  registry
    .registerPrompt({
      name: 'welcome',
      description: 'Greets a new customer',
      inputSchema: z.object({
        customer: z.string().describe('The name of the customer'),
        city: z.string().optional().describe('Where the customer lives'),
      }),
      complete: {
        city: (typed) => cities.filter((city) => city.toLowerCase().startsWith(typed.toLowerCase())),
      },
      handler: ({ input }) =>
        `Write a friendly greeting to ${input.customer} of ${input.city ?? 'anywhere'}.`,
    })
    .registerPrompt({
      name: 'review_photo',
      description: 'Asks for a review of a photo',
      handler: () => [
        { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
        { role: 'user', content: { type: 'text', text: 'What is wrong with this photo?' } },
      ],
    })
    .registerResource({
      name: 'manual',
      uri: 'demo://manual',
      description: 'How the shop works',
      mimeType: 'text/markdown',
      handler: () => '# Manual\n\nOrders are shipped on weekdays.',
    })
    .registerResource({
      name: 'prices',
      uri: 'demo://prices',
      description: 'All prices',
      mimeType: 'text/csv',
      handler: () => 'article,price\nA-100,3.50\nA-101,12.00',
    })
    .registerResource({
      name: 'logo',
      uri: 'demo://logo',
      description: 'The logo of the shop',
      mimeType: 'image/png',
      handler: () => Buffer.from(PNG, 'base64'),
    })
    .registerResource({
      name: 'order',
      uriTemplate: 'demo://orders/{id}',
      description: 'An order by its id',
      mimeType: 'application/json',
      complete: { id: (typed) => ['o-1', 'o-2', 'o-3'].filter((id) => id.startsWith(typed)) },
      handler: ({ variables: { id } }) => JSON.stringify({ id, state: 'open' }),
    });
}
