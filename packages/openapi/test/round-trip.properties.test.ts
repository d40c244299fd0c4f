import fc from 'fast-check';
import Enforcer from 'openapi-enforcer';
import { parseTemplate } from 'url-template';
import type { PrimitiveValue } from 'url-template';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importSpecification } from '../src/from-openapi.js';
import type { ImportedAction } from '../src/from-openapi.js';
import { readOptions } from '../src/options.js';
import type { ParameterPlan, ParameterStyle } from '../src/request-plan.js';
import { writePairs, writePathValue } from '../src/send/serialize.js';
import { runs } from '../../../test/runs.js';
import { ApiServer } from './api-server.js';
import type { ReceivedRequest } from './api-server.js';
import { bodyOf, contextOf, parameterOf, planOf, propertyOf, senderTo } from './plans.js';

let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

type Fields = Readonly<Record<string, unknown>>;

async function sendTo(
  target: ApiServer,
  plan: ReturnType<typeof planOf>,
  input: Fields,
): Promise<ReceivedRequest> {
  await senderTo(target.origin)(plan, input, contextOf());
  return target.last;
}

/** Where openapi-enforcer 1.23 differs from the standard, the generated values avoid the difference. */
const gaps = {
  /** It decodes a value before it splits it, so that an encoded separator in an entry splits the entry. */
  separators: /[,.;=| &%+]/g,
  /** It decodes queries twice. */
  queries: /%/g,
  /** It does not decode cookies. */
  cookies: /[^\w\-.~]/g,
};

interface Case {
  readonly place: ParameterPlan['place'];
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly kinds: readonly ('text' | 'integer' | 'boolean' | 'list' | 'object')[];
}

const scalars = ['text', 'integer', 'boolean'] as const;
const all = [...scalars, 'list', 'object'] as const;

/**
 * Every form that openapi-enforcer parses. It parses no exploded object in a query, and no exploded list or object in a cookie; the
 * comparison with RFC 6570 below covers the first, and the standard leaves the second undefined.
 */
const cases: readonly Case[] = [
  ...(['simple', 'label', 'matrix'] as const).flatMap((style) =>
    [true, false].map((explode): Case => ({ place: 'path', style, explode, kinds: all })),
  ),
  { place: 'query', style: 'form', explode: true, kinds: [...scalars, 'list'] },
  { place: 'query', style: 'form', explode: false, kinds: all },
  { place: 'query', style: 'spaceDelimited', explode: false, kinds: ['list'] },
  { place: 'query', style: 'pipeDelimited', explode: false, kinds: ['list'] },
  { place: 'query', style: 'deepObject', explode: true, kinds: ['object'] },
  { place: 'header', style: 'simple', explode: false, kinds: all },
  { place: 'header', style: 'simple', explode: true, kinds: all },
  { place: 'cookie', style: 'form', explode: false, kinds: all },
];

/** Any text without what a path, a header or the parser cannot carry. */
function textFor({ place }: Case, isEntry: boolean): fc.Arbitrary<string> {
  const unit =
    place === 'header'
      ? fc.constantFrom(...'abcXYZ019 -_/:;"?#%&+=')
      : fc.oneof(
          fc.constantFrom(..."aZ0 /?#&=+%.,;:@!$'()*[]|é😀"),
          fc.string({ unit: 'grapheme', maxLength: 1 }),
        );
  return fc.string({ unit, minLength: 1, maxLength: 12 }).map((text) => {
    const fitting = isEntry ? text.replace(gaps.separators, '') : text;
    const gap = place === 'cookie' ? gaps.cookies : place === 'query' ? gaps.queries : /(?!)/g;
    const plain = fitting.replace(gap, '');
    // A name, because texts such as "1" or "true", and blank space at the ends of a header, are no matter here.
    return `v${plain.replaceAll('\0', '').replace(/[\\/]\.+(?=[\\/]|$)/g, '')}v`;
  });
}

const integers = fc.integer({ min: -1_000_000, max: 1_000_000 });

interface Generated {
  readonly schema: Record<string, unknown>;
  readonly value: unknown;
}

function valueOf(each: Case, kind: Case['kinds'][number]): fc.Arbitrary<Generated> {
  const entry = textFor(each, true);
  switch (kind) {
    case 'text':
      return textFor(each, false).map((value) => ({ schema: { type: 'string' }, value }));
    case 'integer':
      return integers.map((value) => ({ schema: { type: 'integer' }, value }));
    case 'boolean':
      return fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value }));
    case 'list':
      return fc.oneof(
        fc
          .array(entry, { minLength: 1, maxLength: 4 })
          .map((value) => ({ schema: { type: 'array', items: { type: 'string' } }, value })),
        fc
          .array(integers, { minLength: 1, maxLength: 4 })
          .map((value) => ({ schema: { type: 'array', items: { type: 'integer' } }, value })),
      );
    case 'object':
      return fc.record({ R: integers, G: entry, B: fc.boolean() }, { requiredKeys: ['R'] }).map((value) => ({
        schema: {
          type: 'object',
          properties: { R: { type: 'integer' }, G: { type: 'string' }, B: { type: 'boolean' } },
        },
        value,
      }));
  }
}

interface Parameter extends Generated {
  readonly plan: ParameterPlan;
}

const parameters: fc.Arbitrary<Parameter[]> = fc
  .subarray([...cases.keys()], { minLength: 1, maxLength: 6 })
  .chain((chosen) =>
    fc.tuple(
      ...chosen.map((index) => {
        const each = cases[index] as Case;
        return fc.constantFrom(...each.kinds).chain((kind) =>
          valueOf(each, kind).map(({ schema, value }): Parameter => {
            const name = each.place === 'header' ? `x-p${index}` : `p${index}`;
            const { place, style, explode } = each;
            const plan = parameterOf(place, name, { style, explode, schema });
            return { plan, schema, value };
          }),
        );
      }),
    ),
  );

const body = fc.option(
  fc.record({
    a: fc.string({ unit: 'binary' }),
    n: fc.oneof(fc.integer(), fc.constant(null)),
    list: fc.array(fc.boolean()),
  }),
  { nil: undefined },
);

const bodySchema = {
  type: 'object',
  properties: {
    a: { type: 'string' },
    n: { type: 'integer', nullable: true },
    list: { type: 'array', items: { type: 'boolean' } },
  },
};

describe('a request of an imported operation, parsed by openapi-enforcer', () => {
  it('has the values of the input, whatever the styles of its parameters are', async () => {
    await fc.assert(
      fc.asyncProperty(parameters, body, async (given, sent) => {
        const path = `/base${given
          .filter(({ plan }) => plan.place === 'path')
          .map(({ plan }) => `/{${plan.name}}`)
          .join('')}/end`;
        const document = {
          openapi: '3.0.3',
          info: { title: 'test', version: '1' },
          paths: {
            [path]: {
              post: {
                parameters: given.map(({ plan: { name, place, style, explode, required }, schema }) => ({
                  name,
                  in: place,
                  style,
                  explode,
                  schema,
                  ...(required ? { required } : {}),
                })),
                requestBody: { content: { 'application/json': { schema: bodySchema } } },
                responses: { 200: { description: 'ok' } },
              },
            },
          },
        };
        const openapi = await Enforcer(document, { hideWarnings: true });
        const { groups } = importSpecification(document, readOptions({ baseUrl: server.origin }));
        const [action] = [...groups.values()].flatMap((group) => group.actions);
        const { plan } = action as ImportedAction;
        const input = Object.fromEntries([
          ...plan.parameters.map(({ field, name, place }) => {
            const own = given.find((each) => each.plan.name === name && each.plan.place === place);
            return [field, own?.value] as const;
          }),
          ...(plan.body?.properties ?? []).map(
            ({ field, name }) => [field, sent?.[name as keyof typeof sent]] as const,
          ),
        ]);
        const received = await sendTo(server, plan, input);
        const [parsed, error] = openapi.request({
          method: received.method,
          path: received.target,
          headers: Object.fromEntries(received.headers),
          ...(received.body.length > 0 ? { body: JSON.parse(received.body.toString()) as object } : {}),
        });
        if (error) throw new Error(String(error));
        const places: Record<string, unknown> = { ...parsed, header: parsed.headers };
        for (const {
          plan: { place, name },
          value,
        } of given)
          expect((places[place] as Fields)[name], `${place} ${name} of ${received.target}`).toEqual(value);
        expect(parsed.body).toEqual(sent === undefined ? undefined : JSON.parse(JSON.stringify(sent)));
      }),
      { numRuns: runs(2_000) },
    );
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', ' ', ',', '%', "!'()*", '/', '.', 'é', '😀', '+&=#?'),
);
const anyValue = fc.oneof(
  anyText,
  fc.integer(),
  fc.boolean(),
  fc.array(anyText, { minLength: 1, maxLength: 4 }),
  fc.dictionary(
    anyText.filter((key) => key !== ''),
    anyText,
    { minKeys: 1, maxKeys: 4 },
  ),
);

/** The template of RFC 6570 that the standard names for a style. */
const templates: Readonly<Partial<Record<ParameterStyle, string>>> = {
  simple: '',
  label: '.',
  matrix: ';',
  form: '?',
};

describe('a parameter, compared with the expansion of RFC 6570', () => {
  it('has the same text in the styles simple, label, matrix and form', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('simple', 'label', 'matrix', 'form'),
        fc.boolean(),
        anyValue,
        (style, explode, value) => {
          const template = parseTemplate(`{${templates[style]}color${explode ? '*' : ''}}`);
          const expanded = template.expand({ color: value as PrimitiveValue });
          const plan = parameterOf(style === 'form' ? 'query' : 'path', 'color', { style, explode });
          const written =
            style === 'form'
              ? `?${writePairs(plan, value)
                  .map((pair) => pair.join('='))
                  .join('&')}`
              : writePathValue(plan, value);
          // In an exploded label, a dot of a value is encoded, so that it does not separate.
          const comparable = style === 'label' && explode ? written.replaceAll('%2E', '.') : written;
          // RFC 6570 omits the equals sign before an empty entry; url-template 3.1 writes it.
          const trim = (text: string): string => (style === 'matrix' ? text.replace(/=(?=;|$)/g, '') : text);
          expect(trim(comparable)).toBe(trim(expanded));
        },
      ),
      { numRuns: runs(5_000) },
    );
  });
});

const fields = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 8 }),
  fc.oneof(anyText, fc.array(anyText, { minLength: 1, maxLength: 3 })),
  { minKeys: 1, maxKeys: 5 },
);

describe('a form body, parsed by other implementations', () => {
  const pairsOf = (input: Fields): (readonly [string, string])[] =>
    Object.entries(input).flatMap(([name, value]) =>
      [value].flat().map((item) => [name, String(item)] as const),
    );
  const planFor = (input: Fields, kind: 'form' | 'multipart', mediaType: string): ReturnType<typeof planOf> =>
    planOf({
      method: 'POST',
      body: bodyOf(kind, mediaType, {
        properties: Object.keys(input).map((name, at) => propertyOf(name, { field: `field${at}` })),
      }),
    });
  const inputFor = (input: Fields): Fields =>
    Object.fromEntries(Object.values(input).map((value, at) => [`field${at}`, value]));

  it('has the values of the input as URLSearchParams reads them', async () => {
    await fc.assert(
      fc.asyncProperty(fields, async (input) => {
        const received = await sendTo(
          server,
          planFor(input, 'form', 'application/x-www-form-urlencoded'),
          inputFor(input),
        );
        expect([...new URLSearchParams(received.body.toString())]).toEqual(pairsOf(input));
      }),
      { numRuns: runs(500) },
    );
  });

  it('has the values of the input as FormData reads them', async () => {
    await fc.assert(
      fc.asyncProperty(fields, async (input) => {
        const received = await sendTo(
          server,
          planFor(input, 'multipart', 'multipart/form-data'),
          inputFor(input),
        );
        const type = received.headers.find(([name]) => name === 'content-type')?.[1] ?? '';
        const form = await new Response(received.body, { headers: { 'content-type': type } }).formData();
        expect([...form]).toEqual(pairsOf(input));
      }),
      { numRuns: runs(500) },
    );
  });
});
