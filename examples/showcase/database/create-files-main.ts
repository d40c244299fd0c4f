import { PGlite } from '@electric-sql/pglite';

const [folder = ''] = process.argv.slice(2);
const pglite = await PGlite.create({ dataDir: folder });
await pglite.close();
