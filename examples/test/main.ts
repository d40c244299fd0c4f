/** Shows the output of breakingChanges() for a tool that was changed carelessly. */
import assert from 'node:assert/strict';

// #region changed
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import * as z from 'zod';
import { breakingChanges } from './breaking-changes.js';
import { createLibrary, createShelf } from './library.js';

const before = createLibrary(createShelf()).view({ form: 'flat' }).listTools();
const changed = new ToolRegistry({ name: 'library' }).register(
  new GroupedToolBuilder('books')
    .commonSchema(z.object({ branch: z.string() }))
    .action({ name: 'list', readOnly: true, handler: () => [] })
    .action({ name: 'borrow', inputSchema: z.object({ book: z.string() }), handler: () => 'borrowed' }),
);
const after = changed.view({ form: 'flat' }).listTools();
for (const change of breakingChanges(before, after)) console.log(change);
// #endregion changed
assert.deepEqual(breakingChanges(before, before), []);
assert.equal(breakingChanges(before, after).length, 5);
