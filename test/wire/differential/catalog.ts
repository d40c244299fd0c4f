/** The same tools, prompts and resources twice: in a registry, and on an SDK server. */
import { McpServer, ResourceTemplate, inputRequired, completable } from '@modelcontextprotocol/server';
import type { CallToolResult } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';

const identity = { name: 'acme', version: '1.0.0' };
const languages = ['english', 'estonian', 'spanish'];
const suggest = (typed: string): string[] => languages.filter((name) => name.startsWith(typed));

const echo = z.object({ text: z.string() });
const add = z.object({ a: z.number().int(), b: z.number().int() });
const sum = z.object({ sum: z.number() });
const route = z.object({
  region: z.string().meta({ 'x-mcp-header': 'Region' }),
  count: z.number().int().optional().meta({ 'x-mcp-header': 'Count' }),
  urgent: z.boolean().optional().meta({ 'x-mcp-header': 'Urgent' }),
});
const nothing = z.object({});
const greet = z.object({ who: z.string(), language: z.string().optional() });
const question = { message: 'Who?', schema: z.object({ name: z.string() }) };

/** The text of an unexpected error of a handler, which no client may see. */
export const INTERNALS = 'connect ECONNREFUSED at /srv/app/db.ts:12:34';
/** A middleware throws for requests with this key in `_meta`. */
export const FAIL_KEY = 'example.com/fail';

/** The arguments of each tool. */
export const knownArguments: ReadonlyMap<unknown, readonly string[]> = new Map<unknown, readonly string[]>([
  ['echo', Object.keys(echo.shape)],
  ['add', Object.keys(add.shape)],
  ['route', Object.keys(route.shape)],
  ...['fail', 'steps', 'ask', 'silent'].map((name) => [name, []] as const),
]);

export function createRegistry(): ToolRegistry {
  return new ToolRegistry({ ...identity, rateLimiter: false })
    .register(
      {
        name: 'echo',
        description: 'Repeats a text',
        readOnly: true,
        inputSchema: echo,
        handler: ({ input }) => input.text,
      },
      {
        name: 'add',
        description: 'Adds two numbers',
        inputSchema: add,
        outputSchema: sum,
        handler: ({ input }) => ({ sum: input.a + input.b }),
      },
      {
        name: 'route',
        description: 'Goes where its headers say',
        inputSchema: route,
        handler: ({ input }) => `to ${input.region}`,
      },
      {
        name: 'fail',
        description: 'Fails',
        inputSchema: nothing,
        handler: () => {
          throw new Error(INTERNALS);
        },
      },
      {
        name: 'steps',
        description: 'Reports how far it is',
        inputSchema: nothing,
        handler: async function* () {
          yield 1;
          yield 2;
          return 'done';
        },
      },
      {
        name: 'ask',
        description: 'Asks for a name',
        inputSchema: nothing,
        handler: async ({ context }) => {
          const { who } = await context.requestInput({ who: question });
          return `hello ${String(who.content?.['name'])}`;
        },
      },
      { name: 'silent', description: 'Says nothing', inputSchema: nothing, handler: () => '' },
    )
    .registerPrompt({
      name: 'greet',
      description: 'Greets somebody',
      inputSchema: greet,
      complete: { language: suggest },
      handler: ({ input }) => `Say hello to ${input.who}`,
    })
    .registerResource({ name: 'memo', uri: 'memo://1', mimeType: 'text/plain', handler: () => 'a memo' })
    .registerResource({
      name: 'note',
      uriTemplate: 'note://{id}',
      complete: { id: suggest },
      handler: ({ variables }) => `note ${variables['id']}`,
    })
    .registerResource({
      name: 'broken',
      uri: 'broken://1',
      handler: () => {
        throw new Error(INTERNALS);
      },
    })
    .use(async (request, next) => {
      const meta = request.params['_meta'] ?? (request as { meta?: unknown }).meta;
      if (typeof meta === 'object' && meta !== null && Object.hasOwn(meta, FAIL_KEY))
        throw new Error(INTERNALS);
      return next();
    });
}

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });

export function createSdkServer(): McpServer {
  // A capability that a registry declares and the SDK server does not.
  const server = new McpServer(identity, { capabilities: { resources: { subscribe: true } } });
  server.registerTool(
    'echo',
    { description: 'Repeats a text', inputSchema: echo, annotations: { readOnlyHint: true } },
    (input) => text(input.text),
  );
  server.registerTool(
    'add',
    { description: 'Adds two numbers', inputSchema: add, outputSchema: sum },
    (input) => {
      const structuredContent = { sum: input.a + input.b };
      return { ...text(JSON.stringify(structuredContent)), structuredContent };
    },
  );
  server.registerTool('route', { description: 'Goes where its headers say', inputSchema: route }, (input) =>
    text(`to ${input.region}`),
  );
  server.registerTool('fail', { description: 'Fails', inputSchema: nothing }, () => {
    throw new Error('failed');
  });
  server.registerTool(
    'steps',
    { description: 'Reports how far it is', inputSchema: nothing },
    async (_input, context) => {
      const progressToken = context.mcpReq._meta?.progressToken;
      for (const progress of progressToken === undefined ? [] : [1, 2])
        await context.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken: progressToken ?? 0, progress },
        });
      return text('done');
    },
  );
  server.registerTool('ask', { description: 'Asks for a name', inputSchema: nothing }, (_input, context) => {
    const answer = context.mcpReq.inputResponses?.['who'] as { content?: { name?: unknown } } | undefined;
    if (answer) return text(`hello ${String(answer.content?.name)}`);
    return inputRequired({
      inputRequests: {
        who: inputRequired.elicit({ message: question.message, requestedSchema: question.schema }),
      },
    });
  });
  server.registerTool('silent', { description: 'Says nothing', inputSchema: nothing }, () => text(''));
  server.registerPrompt(
    'greet',
    {
      description: 'Greets somebody',
      argsSchema: z.object({
        who: z.string(),
        language: completable(z.string(), (typed) => suggest(typed)).optional(),
      }),
    },
    ({ who }) => ({
      description: 'Greets somebody',
      messages: [{ role: 'user', content: { type: 'text', text: `Say hello to ${who}` } }],
    }),
  );
  server.registerResource('memo', 'memo://1', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'a memo' }],
  }));
  server.registerResource(
    'note',
    new ResourceTemplate('note://{id}', { list: undefined, complete: { id: (typed) => suggest(typed) } }),
    {},
    (uri, { id }) => ({ contents: [{ uri: uri.href, text: `note ${String(id)}` }] }),
  );
  server.registerResource('broken', 'broken://1', {}, () => {
    throw new Error('failed');
  });
  return server;
}
