/** The showcase with new books in memory, for commands such as `toolfold dev examples/showcase/in-memory.ts`. */
import { openDatabase } from './database/open.js';
import { createFinance } from './finance.js';
import { seedBooks } from './seed/seed.js';
import { createServer } from './server.js';

const db = await openDatabase({ onError: console.error });
await seedBooks(db, { now: new Date(), timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone });

export default createServer(createFinance(db));
