import type { ToolRegistry } from 'toolfold';
import { PNG } from './samples.js';

/** The resource that `test_trigger_resource_update` reports as changed. */
export const watchedUri = 'test://watched-resource';

export function addResources(registry: ToolRegistry): void {
  registry
    .registerResource({
      name: 'static-text',
      uri: 'test://static-text',
      description: 'A text that stays as it is',
      mimeType: 'text/plain',
      handler: () => 'This is the content of the static text resource.',
    })
    .registerResource({
      name: 'static-binary',
      uri: 'test://static-binary',
      description: 'An image that stays as it is',
      mimeType: 'image/png',
      handler: () => Buffer.from(PNG, 'base64'),
    })
    .registerResource({
      name: 'watched',
      uri: watchedUri,
      description: 'A text that clients can subscribe to',
      mimeType: 'text/plain',
      handler: () => 'This is the content of the watched resource.',
    })
    .registerResource({
      name: 'template',
      uriTemplate: 'test://template/{id}/data',
      description: 'Data by id',
      mimeType: 'application/json',
      complete: { id: (typed) => ['123', '124', '200'].filter((id) => id.startsWith(typed)) },
      handler: ({ variables: { id } }) =>
        JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    });
}
