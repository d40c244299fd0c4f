import { setTimeout as sleep } from 'node:timers/promises';
import { GroupedToolBuilder, success, ToolRegistry } from 'toolfold';
import * as z from 'zod';

/** A blue square whose script must not run. */
const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" onload="alert(1)"><script>alert(2)</script>' +
    '<image href="https://example.com/x.png"/><rect width="20" height="20" fill="blue"/></svg>',
).toString('base64');

export const hostileName = 'evil\u202Egpj.exe';

const mazeNames = Array.from({ length: 20 }, (_, index) => `way${index}`);

/** A server for the tests of the section Try: questions, tasks, progress and texts that would do harm. */
export function createAskingServer(): ToolRegistry {
  const asking = new GroupedToolBuilder('ask')
    .description('Asks everything that a server can ask')
    .action({
      name: 'form',
      description: 'Asks for a name',
      destructive: false,
      inputSchema: z.object({ greeting: z.string() }),
      handler: async ({ input, context }) => {
        const { who } = await context.requestInput({
          who: {
            message: 'Who are you? <b>Really</b>',
            schema: z.object({ name: z.string().min(2), age: z.int().min(0).optional() }),
          },
        });
        return `${input.greeting} ${who.action} ${who.content?.name ?? 'nobody'}`;
      },
    })
    .action({
      name: 'page',
      description: 'Wants a page opened',
      destructive: false,
      inputSchema: z.object({ url: z.string() }),
      handler: async ({ input, context }) => {
        const { page } = await context.requestInput({ page: { message: 'Please sign in', url: input.url } });
        return `page: ${page.action}`;
      },
    })
    .action({
      name: 'model',
      description: 'Asks the model of the client',
      destructive: false,
      inputSchema: {},
      handler: async ({ context }) => {
        const { said } = await context.requestInput({
          said: {
            sampling: {
              messages: [{ role: 'user', content: { type: 'text', text: 'Say something' } }],
              maxTokens: 10,
            },
          },
        });
        return success(`the model said ${JSON.stringify(said)}`);
      },
    })
    .action({
      name: 'roots',
      description: 'Asks for the roots of the client',
      destructive: false,
      inputSchema: {},
      handler: async ({ context }) => {
        const { where } = await context.requestInput({ where: { roots: true } });
        return success(`roots: ${where.roots.map(({ uri }) => uri).join(' ')}`);
      },
    })
    .action({
      name: 'task',
      description: 'Runs as a task, and asks in the middle',
      destructive: false,
      task: true,
      inputSchema: {},
      handler: async ({ context }) => {
        await context.progress(1, 2, 'half of it');
        const { go } = await context.requestInput({
          go: { message: 'Go on?', schema: z.object({ sure: z.boolean() }) },
        });
        return `task: ${String(go.content?.sure)}`;
      },
    })
    .action({
      name: 'slow',
      description: 'Reports progress until it is cancelled',
      destructive: false,
      inputSchema: z.object({ steps: z.int().default(1_000) }),
      handler: async ({ input, context }) => {
        for (let step = 1; step <= input.steps; step++) {
          await context.progress(step, input.steps, `step ${step}`);
          await sleep(20, undefined, { signal: context.signal });
        }
        return 'slow is done';
      },
    });
  asking.action({
    name: 'uncounted',
    description: 'Reports progress without a total',
    destructive: false,
    inputSchema: {},
    handler: async ({ context }) => {
      await context.progress(7, undefined, 'somewhere');
      await sleep(1_500, undefined, { signal: context.signal });
      return 'arrived';
    },
  });
  const wiped: string[] = [];
  let done = 0;
  return new ToolRegistry({ name: 'asking', version: '1.0.0' }).register(
    asking,
    {
      name: 'wipe',
      description: 'Deletes everything',
      destructive: true,
      inputSchema: z.object({ what: z.string() }),
      handler: ({ input }) => {
        wiped.push(input.what);
        return `wiped ${wiped.length}`;
      },
    },
    {
      name: 'silent',
      description: 'Declares nothing about what it does',
      inputSchema: {},
      handler: () => `done ${++done}`,
    },
    {
      name: 'hostile',
      description: '<script>alert(1)</script> <img src=x onerror=alert(1)>',
      readOnly: true,
      inputSchema: {
        type: 'object',
        properties: { [hostileName]: { type: 'string', description: '<b>bold</b>' } },
      },
      handler: () => ({
        content: [
          {
            type: 'text' as const,
            text: '<script>document.title="pwned"</script><img src=x onerror="document.title=1">',
          },
          { type: 'text' as const, text: `file ${hostileName} zero\u200Bwidth` },
          { type: 'image' as const, data: SVG, mimeType: 'image/svg+xml' },
          { type: 'image' as const, data: SVG, mimeType: 'text/html' },
          { type: 'resource_link' as const, uri: 'javascript:alert(1)', name: 'click me' },
          { type: 'resource_link' as const, uri: 'https://example.com/a', name: 'web' },
          {
            type: 'resource' as const,
            resource: { uri: 'x://y', mimeType: 'text/html', text: '<h1>no</h1>' },
          },
        ],
      }),
    },
    {
      name: 'huge',
      description: 'Answers with a lot',
      readOnly: true,
      inputSchema: {},
      handler: () => ({ rows: Array.from({ length: 20_000 }, (_, id) => ({ id, name: `row ${id}` })) }),
    },
    {
      name: 'accounts',
      description: 'Answers with a list and facts beside it',
      readOnly: true,
      inputSchema: {},
      handler: () => ({
        currency: 'EUR',
        total: 5,
        accounts: [
          { id: 'a-1', owner: { name: 'Ada' }, balance: 2 },
          { id: 'a-2', owner: { name: 'Grace' }, balance: 3 },
        ],
      }),
    },
    {
      name: 'invite',
      description: 'Takes a list of objects',
      readOnly: true,
      inputSchema: z.object({
        people: z.array(z.object({ name: z.string(), tags: z.array(z.string()).optional() })).optional(),
      }),
      handler: () => success('invited'),
    },
    {
      name: 'frozen',
      description: 'Reports an error with a hint',
      readOnly: true,
      inputSchema: {},
      handler: () => {
        throw Object.assign(new Error('The account is frozen'), { name: 'AccountFrozen', status: 404 });
      },
    },
    {
      name: 'maze',
      description: 'Requires itself in every field',
      readOnly: true,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(mazeNames.map((name) => [name, { $ref: '#' }])),
        required: mazeNames,
      },
      handler: () => success('out'),
    },
    {
      name: 'wide',
      description: 'Answers with many columns',
      readOnly: true,
      inputSchema: {},
      handler: () => ({
        rows: Array.from({ length: 500 }, (_, row) =>
          Object.fromEntries(Array.from({ length: 85 }, (__, column) => [`c${column}`, `${row}.${column}`])),
        ),
      }),
    },
    {
      name: 'digits',
      description: 'Answers with numbers that JavaScript rounds',
      readOnly: true,
      inputSchema: {},
      handler: () => ({
        content: [
          {
            type: 'text' as const,
            text: '[{"id":12345678901234567890,"name":"Ada"},{"id":12345678901234567891,"name":"Grace"}]',
          },
        ],
        structuredContent: { total: 'many' },
      }),
    },
    {
      name: 'routed',
      description: 'Has arguments that clients repeat in headers',
      readOnly: true,
      inputSchema: {
        type: 'object',
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region' },
          size: { type: 'integer', 'x-mcp-header': 'Size' },
          dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
          inner: { type: 'object', properties: { note: { type: 'string', 'x-mcp-header': "It's" } } },
        },
      },
      handler: ({ input }) => success(`routed: ${JSON.stringify(input)}`),
    },
    {
      name: 'long',
      description: 'Answers with a long text',
      readOnly: true,
      inputSchema: {},
      handler: () => 'word '.repeat(400_000),
    },
    {
      name: 'strict',
      description: 'Accepts only small even numbers',
      readOnly: true,
      inputSchema: z.object({
        number: z.int().refine((value) => value % 2 === 0, 'must be even'),
        inner: z.object({ list: z.array(z.string()).optional() }).optional(),
      }),
      handler: ({ input }) => success(`even: ${input.number}`),
    },
    {
      name: 'guarded',
      description: 'Needs a scope',
      readOnly: true,
      scopes: ['secret:read'],
      inputSchema: {},
      handler: () => success('the secret'),
    },
  );
}
