import { expectTypeOf, it } from 'vitest';
import * as v from 'valibot';
import * as z from 'zod';
import type { Caller, InputAnswer, PageAnswer, RequestInput, RootsAnswer, SamplingAnswer } from 'toolfold';
import { ToolRegistry } from 'toolfold';

/** Never runs: compiling it is the test. */
async function answersOf(ask: RequestInput) {
  return ask({
    seats: { message: 'How many?', schema: z.object({ count: z.int(), note: z.string().optional() }) },
    day: { message: 'When?', schema: z.object({ day: z.string().transform((text) => new Date(text)) }) },
    shape: { message: 'Who?', schema: { name: z.string(), nick: z.string().optional() } },
    other: { message: 'Else?', schema: v.object({ yes: v.boolean() }) },
    json: { message: 'Any?', schema: { type: 'object', properties: {} } },
    page: { message: 'Sign in', url: 'https://acme.example' },
    model: { sampling: { messages: [], maxTokens: 10 } },
    dirs: { roots: true },
  });
}
type Answers = Awaited<ReturnType<typeof answersOf>>;

it('types each answer by its question', () => {
  expectTypeOf<Answers['seats']>().toEqualTypeOf<InputAnswer<{ count: number; note?: string | undefined }>>();
  expectTypeOf<Answers['day']>().toEqualTypeOf<InputAnswer<{ day: Date }>>();
  expectTypeOf<NonNullable<Answers['shape']['content']>['name']>().toEqualTypeOf<string>();
  expectTypeOf<NonNullable<Answers['shape']['content']>['nick']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Answers['other']>().toEqualTypeOf<InputAnswer<{ yes: boolean }>>();
  expectTypeOf<NonNullable<Answers['json']['content']>>().toEqualTypeOf<Record<string, unknown>>();
  expectTypeOf<Answers['page']>().toEqualTypeOf<PageAnswer>();
  expectTypeOf<Answers['model']>().toEqualTypeOf<SamplingAnswer>();
  expectTypeOf<Answers['dirs']>().toEqualTypeOf<RootsAnswer>();
  expectTypeOf<keyof Answers>().toEqualTypeOf<
    'seats' | 'day' | 'shape' | 'other' | 'json' | 'page' | 'model' | 'dirs'
  >();
});

it('types content as optional, because the person may have declined', () => {
  expectTypeOf<Answers['seats']['action']>().toEqualTypeOf<'accept' | 'decline' | 'cancel'>();
  expectTypeOf<undefined>().toExtend<Answers['seats']['content']>();
});

it('types content as present once the answer is known to be accepted', () => {
  const use = ({ seats, page }: Answers): void => {
    if (seats.action === 'accept') expectTypeOf(seats.content.count).toEqualTypeOf<number>();
    else expectTypeOf(seats.content).toEqualTypeOf<undefined>();
    // @ts-expect-error the person may have declined
    void seats.content.count;
    // @ts-expect-error what happened on a page is not told
    if (page.action === 'accept') void page.content;
  };
  expectTypeOf(use).toBeFunction();
});

it('distinguishes the kinds of content in a sampling result', () => {
  const use = ({ model: { content } }: Answers): void => {
    for (const block of [content].flat()) {
      if (block.type === 'text') expectTypeOf(block.text).toEqualTypeOf<string>();
      else if (block.type === 'tool_use') expectTypeOf(block.name).toEqualTypeOf<string>();
      else expectTypeOf(block.mimeType).toEqualTypeOf<string>();
    }
  };
  expectTypeOf(use).toBeFunction();
});

it('types the fields of a verified caller, and allows others', () => {
  const use = ({ auth }: Caller): void => {
    expectTypeOf(auth?.clientId).toEqualTypeOf<string | undefined>();
    expectTypeOf(auth?.scopes).toEqualTypeOf<readonly string[] | undefined>();
    expectTypeOf(auth?.extra?.['sub']).toEqualTypeOf<unknown>();
    expectTypeOf(auth?.['tenant']).toEqualTypeOf<unknown>();
  };
  expectTypeOf(use).toBeFunction();
});

it('rejects invalid questions', () => {
  const hi = { type: 'text', text: 'hi' } as const;
  const misuse = async (ask: RequestInput): Promise<void> => {
    // @ts-expect-error a form needs a message
    await ask({ q: { schema: z.object({}) } });
    // @ts-expect-error there is nothing to answer
    await ask({ q: { message: 'm' } });
    // @ts-expect-error a model needs a limit
    await ask({ q: { sampling: { messages: [] } } });
    // @ts-expect-error a model needs something to answer
    await ask({ q: { sampling: { maxTokens: 1 } } });
    // @ts-expect-error nobody has this role
    await ask({ q: { sampling: { messages: [{ role: 'system', content: hi }], maxTokens: 1 } } });
    await ask({
      q: {
        sampling: {
          messages: [
            { role: 'user', content: [hi, { type: 'text', text: 'a', annotations: { audience: ['user'] } }] },
          ],
          maxTokens: 1,
          temperature: 0,
        },
      },
    });
    // @ts-expect-error no is no question
    await ask({ q: { roots: false } });
    // @ts-expect-error there is no such question
    void (await ask({ q: { roots: true } })).other;
  };
  expectTypeOf(misuse).toBeFunction();
});

it('types answers in handlers of tools, prompts and resources', () => {
  const registry = new ToolRegistry();
  registry.register({
    name: 'book',
    description: 'Books',
    inputSchema: {},
    handler: async ({ context }) => {
      const { seats } = await context.requestInput({
        seats: { message: 'm', schema: z.object({ count: z.int() }) },
      });
      expectTypeOf(seats.content).toEqualTypeOf<{ count: number } | undefined>();
    },
  });
  registry.registerPrompt({
    name: 'p',
    handler: async ({ context }) => {
      const { dirs } = await context.requestInput({ dirs: { roots: true } });
      expectTypeOf(dirs.roots[0]?.uri).toEqualTypeOf<string | undefined>();
      return '';
    },
  });
  registry.registerResource({
    name: 'r',
    uri: 'memo://1',
    handler: async ({ context }) => {
      const { said } = await context.requestInput({ said: { sampling: { messages: [], maxTokens: 1 } } });
      expectTypeOf(said.model).toEqualTypeOf<string>();
      return '';
    },
  });
});

it('rejects forms with nested fields', () => {
  const use = (ask: RequestInput): void => {
    // @ts-expect-error fields of a form are flat
    void ask({ where: { message: 'Where?', schema: z.object({ place: z.object({ city: z.string() }) }) } });
    // @ts-expect-error fields of a form cannot be null
    void ask({ where: { message: 'Where?', schema: z.object({ place: z.string().nullable() }) } });
    void ask({ which: { message: 'Which?', schema: z.object({ colours: z.array(z.enum(['red'])) }) } });
  };
  expectTypeOf(use).toBeFunction();
});
