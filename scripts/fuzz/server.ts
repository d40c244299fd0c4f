/** The fuzzed server, in a separate process. */
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import * as z from 'zod';
import { FAIL_KEY, INTERNALS, MAX_SESSIONS } from './catalog.js';
import { reportServer } from '../live/report-server.js';

const fail = (): never => {
  throw new Error(INTERNALS);
};

/** Unexpected values that a handler may throw or return. */
const oddities: Readonly<Record<string, () => unknown>> = {
  'throws undefined': () => Promise.reject(undefined as unknown as Error),
  'throws a text': () => Promise.reject('text' as unknown as Error),
  'throws what cannot be shown': () =>
    Promise.reject(
      new Proxy(new Error('odd'), {
        get: () => fail(),
      }),
    ),
  'returns undefined': () => undefined,
  'returns a loop': () => {
    const loop: Record<string, unknown> = {};
    return (loop['self'] = loop);
  },
  'returns a large integer': () => 10n ** 30n,
  'returns a symbol': () => Symbol('odd'),
  'returns a function': () => fail,
  'returns what throws': () => ({
    get odd() {
      return fail();
    },
  }),
  'returns half a pair': () => 'a\ud800b',
  'returns much': () => 'x'.repeat(100_000),
};

const registry = new ToolRegistry({ name: 'fuzz', version: '1.0.0', rateLimiter: false })
  .register(
    {
      name: 'echo',
      description: 'Repeats a text',
      inputSchema: z.object({ text: z.string() }),
      handler: ({ input }) => input.text,
    },
    {
      name: 'add',
      description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      handler: ({ input }) => ({ sum: input.a + input.b }),
    },
    {
      name: 'wait',
      description: 'Takes its time, or until it is given up',
      inputSchema: z.object({ ms: z.number().int().min(0).max(200) }),
      handler: ({ input, context }) =>
        new Promise((resolve) => {
          const timer = setTimeout(() => resolve(`waited ${input.ms}`), input.ms);
          context.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
        }),
    },
    {
      name: 'steps',
      description: 'Reports how far it is',
      inputSchema: z.object({ count: z.number().int().min(0).max(20) }),
      handler: async function* ({ input }) {
        for (let step = 1; step <= input.count; step++) yield step;
        return 'done';
      },
    },
    {
      name: 'ask',
      description: 'Asks for a name',
      inputSchema: z.object({}),
      handler: async ({ context }) => {
        const { who } = await context.requestInput({
          who: { message: 'Who?', schema: z.object({ name: z.string() }) },
        });
        return `hello ${String(who.content?.['name'])}`;
      },
    },
    {
      name: 'odd',
      description: 'Fails in unexpected ways',
      inputSchema: z.object({ what: z.string() }),
      handler: ({ input }) => (Object.hasOwn(oddities, input.what) ? oddities[input.what]?.() : fail()),
    },
    {
      name: 'guarded',
      description: 'Has a middleware that throws',
      inputSchema: z.object({}),
      middleware: [fail],
      handler: () => 'never',
    },
    new GroupedToolBuilder('users')
      .description('People')
      .action({ name: 'list', readOnly: true, handler: () => ['Ada'] })
      .action({ name: 'fail', handler: fail }),
  )
  .registerPrompt({
    name: 'greet',
    inputSchema: z.object({ who: z.string() }),
    handler: ({ input }) => (input.who === 'nobody' ? fail() : `Say hello to ${input.who}`),
  })
  .registerResource({ name: 'memo', uri: 'memo://1', handler: () => 'a memo' })
  .registerResource({ name: 'broken', uri: 'broken://1', handler: fail })
  .registerResource({
    name: 'note',
    uriTemplate: 'note://{id}',
    handler: ({ variables }) => `note ${variables['id']}`,
  })
  .use(async (request, next) => {
    const meta = request.params['_meta'] ?? (request as { meta?: unknown }).meta;
    if (typeof meta === 'object' && meta !== null && Object.hasOwn(meta, FAIL_KEY)) fail();
    return next();
  });

reportServer(await serveHttp(registry, { port: 0, requestLimit: false, sessions: { max: MAX_SESSIONS } }));
