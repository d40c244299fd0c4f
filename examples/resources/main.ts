/** Offers resources, a template, and changes that clients subscribe to. Exits with an error if an assertion fails. */
import assert from 'node:assert/strict';
// #region imports
import { ToolRegistry } from 'toolfold';
import { ErrUnknownResource } from 'toolfold/errors';
import { createTestClient } from '@toolfold/testing';
import * as z from 'zod';
// #endregion imports

// #region resources
const notes = new Map([
  ['1', 'Buy milk'],
  ['2', 'Call Ada'],
]);

const registry = new ToolRegistry({ name: 'notes' })
  .registerResource({
    name: 'index',
    uri: 'note://all',
    description: 'The ids of all notes',
    mimeType: 'application/json',
    handler: () => JSON.stringify([...notes.keys()]),
  })
  .registerResource({
    name: 'note',
    uriTemplate: 'note://{id}',
    description: 'One note',
    mimeType: 'text/plain',
    complete: { id: (typed) => [...notes.keys()].filter((id) => id.startsWith(typed)) },
    handler: ({ uri, variables: { id = '' } }) => {
      const text = notes.get(id);
      if (text === undefined) throw new ErrUnknownResource(`There is no note ${id}.`, { details: { uri } });
      return text;
    },
  })
  .register({
    name: 'write_note',
    description: 'Writes a note',
    destructive: false,
    inputSchema: z.object({ id: z.string(), text: z.string() }),
    handler: ({ input }) => {
      notes.set(input.id, input.text);
      registry.notifyResourceUpdated(`note://${input.id}`);
      return 'written';
    },
  });
// #endregion resources

// #region read
const client = await createTestClient(registry);
for (const uri of ['note://all', 'note://2', 'note://9']) {
  const read = await client.sdk.readResource({ uri }).catch((error: Error) => error.message);
  console.log(typeof read === 'string' ? read : read.contents);
}
// #endregion read
const { resourceTemplates } = await client.sdk.listResourceTemplates();
assert.deepEqual(
  resourceTemplates.map(({ uriTemplate }) => uriTemplate),
  ['note://{id}'],
);
await client.close();
