/** Serves the page for a demo server: `npx tsx scripts/page.ts [--port 4400] [--tools 10000]`. Build it first: npm run build:page. */
import { parseArgs } from 'node:util';
import { devtools } from '@toolfold/devtools';
import { createDemo, createHugeDemo } from '../packages/devtools/test/page/demo-registry.js';

const { values } = parseArgs({ options: { port: { type: 'string' }, tools: { type: 'string' } } });
const { registry, toolsets } =
  values.tools === undefined ? createDemo() : createHugeDemo(Number(values.tools));
const { url, close } = await devtools(registry, {
  ...(values.port === undefined ? {} : { port: Number(values.port) }),
  ...(values.tools === undefined ? { toolsets } : {}),
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close());
console.log(url);
