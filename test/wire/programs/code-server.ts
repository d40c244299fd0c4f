import { appendFileSync } from 'node:fs';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { serveHttp, serveStdio } from 'toolfold/node';
import { redis } from '@toolfold/redis';

interface Options {
  /** The file to which every call appends a line. */
  readonly file: string;
  readonly url?: string;
  readonly prefix?: string;
  readonly secret?: string;
}

const { file, url, prefix, secret } = JSON.parse(process.argv[2] ?? '{}') as Options;
const shared = url && prefix && secret ? redis({ url, prefix, secret }) : undefined;
const inputSchema = z.object({ id: z.string() });
const tool = (name: string, hints: object, wait?: Promise<never>) => ({
  name,
  description: `Does ${name}`,
  inputSchema,
  ...hints,
  handler: async ({ input }: { input: { id: string } }) => {
    appendFileSync(file, `${name} ${input.id}\n`);
    await wait;
    return { [name]: input.id };
  },
});
const registry = new ToolRegistry({
  name: 'acme',
  version: '1',
  rateLimiter: false,
  ...(shared ? { shared } : {}),
}).register(
  tool('read', { readOnly: true }),
  tool('remove', { destructive: true }),
  // Stays open, so that the process can be killed while the call runs.
  tool('hang', { destructive: false }, new Promise<never>(() => {})),
);
const view = { form: 'code', code: { allow: 'write' } } as const;
if (shared) {
  const server = await serveHttp(registry, { port: 0, view });
  process.stdout.write(`${server.url}\n`);
} else serveStdio(registry, { view });
