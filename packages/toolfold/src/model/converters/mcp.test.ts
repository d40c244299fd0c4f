import * as v2 from '@modelcontextprotocol/core';
import * as v1 from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidModel, ErrInvalidSchema, ErrInvalidTool } from '@toolfold/schema/errors';
import { normalizeTags, ToolAnnotations, Tool } from '../tool.js';
import {
  GroupConverterBase,
  PromptConverterBase,
  ResourceConverterBase,
  ToolAnnotationsConverterBase,
  ToolConverterBase,
  ConverterBase,
} from './converter-base.js';
import { GroupTreeConverter } from './group-tree.js';
import {
  McpPromptConverter,
  McpResourceConverter,
  McpResourceTemplateConverter,
  McpToolAnnotationsConverter,
  McpToolConverter,
  fromMCPJSON,
  toMCPJSON,
} from './mcp-converters.js';
import type { ProtocolVersion } from '../../protocol/mcp-types.js';
import type { McpTool } from '@toolfold/profiles';

// Arbitrary wire objects: every field the specification has, each of them sometimes absent.
const text = fc.string();
const meta = fc.dictionary(
  fc.constantFrom('acme/x', 'traceparent', '__proto__', 'constructor', 'a.b/c'),
  fc.jsonValue(),
);
const icon = fc.record(
  {
    src: fc.webUrl(),
    mimeType: text,
    sizes: fc.array(text),
    theme: fc.constantFrom('light' as const, 'dark' as const),
  },
  { requiredKeys: ['src'] },
);
const item = { title: text, description: text, icons: fc.array(icon), _meta: meta };
const annotations = fc.record(
  {
    audience: fc.array(fc.constantFrom('user' as const, 'assistant' as const)),
    priority: fc.double({ min: 0, max: 1, noNaN: true }),
    lastModified: fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
      .map((date) => date.toISOString()),
  },
  { requiredKeys: [] },
);
const toolName = fc.stringMatching(/^[A-Za-z0-9_.-]{1,128}$/);
const hints = fc.record(
  {
    title: text,
    readOnlyHint: fc.boolean(),
    destructiveHint: fc.boolean(),
    idempotentHint: fc.boolean(),
    openWorldHint: fc.boolean(),
  },
  { requiredKeys: [] },
);
const schema = fc
  .record(
    {
      $schema: fc.constant('https://json-schema.org/draft/2020-12/schema'),
      properties: fc.dictionary(
        text,
        fc.record({ type: fc.constantFrom('string', 'number'), 'x-mcp-header': text }),
      ),
      required: fc.array(text),
      additionalProperties: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .map((rest) => ({ type: 'object' as const, ...rest }));
const toolFields = { name: toolName, ...item, inputSchema: schema, outputSchema: schema, annotations: hints };
const execution = fc.record(
  { taskSupport: fc.constantFrom('forbidden' as const, 'optional' as const, 'required' as const) },
  { requiredKeys: [] },
);
const requiredKeys = ['name', 'inputSchema'] as const;
const tools = {
  '2025-11-25': fc.record({ ...toolFields, execution }, { requiredKeys: [...requiredKeys] }),
  '2026-07-28': fc.record(
    { ...toolFields, outputSchema: fc.dictionary(text, fc.jsonValue()) },
    { requiredKeys: [...requiredKeys] },
  ),
};
const promptArgument = fc.record(
  { name: text, title: text, description: text, required: fc.boolean() },
  { requiredKeys: ['name'] },
);
const prompts = fc.record(
  { name: text, ...item, arguments: fc.array(promptArgument) },
  { requiredKeys: ['name'] },
);
const resourceFields = { name: text, ...item, mimeType: text, annotations };
const resources = fc.record(
  { ...resourceFields, uri: fc.webUrl(), size: fc.nat() },
  { requiredKeys: ['name', 'uri'] },
);
const templates = fc.record(
  { ...resourceFields, uriTemplate: text },
  { requiredKeys: ['name', 'uriTemplate'] },
);

/** Plain objects as JSON represents them, with equal texts for equal content. */
const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe.each(['2025-11-25', '2026-07-28'] as const)(
  'the tool converter for %s',
  (protocolVersion: ProtocolVersion) => {
    const converter = new McpToolConverter({ protocolVersion });

    it('is identity from wire to model to wire, for every field [S001-05] [S002-01]', () => {
      fc.assert(
        fc.property(tools[protocolVersion] as fc.Arbitrary<McpTool>, (generated) => {
          const wire = json(generated);
          expect(converter.convertFrom(converter.convertTo(wire))).toEqual(wire);
        }),
      );
    });

    it('writes tools that the official clients of both generations accept', () => {
      fc.assert(
        fc.property(tools[protocolVersion] as fc.Arbitrary<McpTool>, (generated) => {
          const wire = json(converter.convertFrom(converter.convertTo(json(generated))));
          if (protocolVersion === '2025-11-25') expect(v1.ToolSchema.safeParse(wire).error).toBeUndefined();
          expect(v2.ToolSchema.safeParse(wire).error).toBeUndefined();
        }),
      );
    });
  },
);

describe('the fields of the specification', () => {
  // The official schemas list each field, so this test fails when they gain one.
  it.each([
    ['tool', v2.ToolSchema.shape, { ...toolFields, execution }],
    ['tool, first generation', v1.ToolSchema.shape, { ...toolFields, execution }],
    ['prompt', v2.PromptSchema.shape, { name: 0, ...item, arguments: 0 }],
    ['resource', v2.ResourceSchema.shape, { ...resourceFields, uri: 0, size: 0 }],
    ['resource template', v2.ResourceTemplateSchema.shape, { ...resourceFields, uriTemplate: 0 }],
    ['icon', v2.IconSchema.shape, { src: 0, mimeType: 0, sizes: 0, theme: 0 }],
    ['annotations', v2.AnnotationsSchema.shape, { audience: 0, priority: 0, lastModified: 0 }],
    [
      'tool annotations',
      v2.ToolAnnotationsSchema.shape,
      { title: 0, readOnlyHint: 0, destructiveHint: 0, idempotentHint: 0, openWorldHint: 0 },
    ],
  ])('of a %s are all covered', (_what, official, tried) => {
    expect(Object.keys(tried).toSorted()).toEqual(Object.keys(official).toSorted());
  });
});

describe('the other converters', () => {
  it.each([
    ['prompts', new McpPromptConverter(), prompts, v2.PromptSchema],
    ['resources', new McpResourceConverter(), resources, v2.ResourceSchema],
    ['resource templates', new McpResourceTemplateConverter(), templates, v2.ResourceTemplateSchema],
    ['tool annotations', new McpToolAnnotationsConverter(), hints, v2.ToolAnnotationsSchema],
  ] as const)('keep every field of %s [S001-05]', (_what, converter, arbitrary, official) => {
    fc.assert(
      fc.property(arbitrary as fc.Arbitrary<object>, (generated) => {
        const wire = json(generated);
        const back = (converter as ConverterBase<unknown, object>).convertFrom(
          converter.convertTo(wire as never),
        );
        expect(back).toEqual(wire);
        expect(official.safeParse(back).error).toBeUndefined();
      }),
    );
  });
});

describe('properties that are true or false', () => {
  it('are written as objects for 2025-11-25, because its clients accept no booleans', () => {
    const schema = {
      type: 'object',
      properties: { any: true, none: false, text: { type: 'string' } },
    } as const;
    const tool = new Tool({ name: 'a', inputSchema: schema, outputSchema: schema });
    const wire = new McpToolConverter({ protocolVersion: '2025-11-25' }).convertFrom(tool);
    expect(v1.ToolSchema.safeParse(wire).error).toBeUndefined();
    expect(wire.inputSchema['properties']).toEqual({ any: {}, none: { not: {} }, text: { type: 'string' } });
    expect(new McpToolConverter().convertFrom(tool).inputSchema).toBe(schema);
    expect(tool.inputSchema).toBe(schema);
  });
});

describe('a converter omits', () => {
  const tool = () =>
    new Tool({
      name: 'search',
      inputSchema: { type: 'object' },
      annotations: new ToolAnnotations({ readOnlyHint: true, returnDirect: true }),
      execution: { taskSupport: 'optional' },
      namespace: 'acme',
      version: '1.2.0',
      tags: ['find'],
      meta: { 'acme/owner': 'search team' },
    });

  it('the identity of a tool, unless an option includes it [S002-04]', () => {
    expect(toMCPJSON(tool())).not.toMatch(/namespace|1\.2\.0|find/);
    const asked = new McpToolConverter({ identity: true });
    const wire = asked.convertFrom(tool());
    expect(wire._meta).toEqual({
      'acme/owner': 'search team',
      'toolfold/identity': { namespace: 'acme', version: '1.2.0', tags: ['find'] },
    });
    expect(asked.convertTo(json(wire))).toMatchObject({
      namespace: 'acme',
      version: '1.2.0',
      tags: ['find'],
      meta: { 'acme/owner': 'search team' },
    });
    const odd = new Tool({ name: 'a', inputSchema: { type: 'object' } }).setTags(['Team/Billing'], (tags) => [
      ...tags,
    ]);
    expect(asked.convertTo(json(asked.convertFrom(odd))).tags).toEqual(['Team/Billing']);
    // Without the option, it is ordinary metadata.
    expect(new McpToolConverter().convertTo(wire).namespace).toBeUndefined();
  });

  it('returnDirect, unless an option includes it', () => {
    expect(new McpToolConverter().convertFrom(tool()).annotations).toEqual({ readOnlyHint: true });
    const foreign = {
      name: 'a',
      inputSchema: { type: 'object' },
      annotations: { returnDirect: 'maybe' },
    } as never;
    expect(new McpToolConverter().convertTo(foreign).annotations?.returnDirect).toBeUndefined();
    expect(() => new McpToolConverter({ returnDirect: true }).convertTo(foreign)).toThrow(ErrInvalidTool);
    expect(new McpToolConverter({ returnDirect: true }).convertFrom(tool()).annotations).toEqual({
      readOnlyHint: true,
      returnDirect: true,
    });
  });

  it('execution for 2026-07-28, which does not define it', () => {
    expect(new McpToolConverter({ protocolVersion: '2025-11-25' }).convertFrom(tool()).execution).toEqual({
      taskSupport: 'optional',
    });
    expect(new McpToolConverter().convertFrom(tool())).not.toHaveProperty('execution');
  });

  it('an output schema that is not an object for 2025-11-25, because its clients would reject the whole list', () => {
    const list = new Tool({ name: 'list', inputSchema: { type: 'object' }, outputSchema: { type: 'array' } });
    expect(new McpToolConverter().convertFrom(list).outputSchema).toEqual({ type: 'array' });
    const wire = new McpToolConverter({ protocolVersion: '2025-11-25' }).convertFrom(list);
    expect(wire).not.toHaveProperty('outputSchema');
    expect(v1.ToolSchema.safeParse({ ...wire, outputSchema: { type: 'array' } }).success).toBe(false);
    expect(v1.ToolSchema.safeParse(wire).success).toBe(true);
  });
});

describe('a converter rejects', () => {
  it('a tool that a client would reject', () => {
    const converter = new McpToolConverter();
    for (const broken of [{ properties: [] }, { required: 'x' }, { required: [1] }, { properties: 7 }]) {
      const odd = new Tool({ name: 'a', inputSchema: { type: 'object', ...broken } });
      expect(() => converter.convertFrom(odd)).toThrow(ErrInvalidTool);
      const output = new Tool({
        name: 'a',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object', ...broken },
      });
      expect(() => new McpToolConverter({ protocolVersion: '2025-11-25' }).convertFrom(output)).toThrow(
        ErrInvalidTool,
      );
    }
    expect(() => converter.convertFrom(new Tool({ name: 'a', inputSchema: { anyOf: [] } }))).toThrow(
      '"type": "object"',
    );
    expect(() => converter.convertFrom(new Tool({ name: 'a b', inputSchema: { type: 'object' } }))).toThrow(
      ErrInvalidTool,
    );
    expect(() => converter.convertFrom(new Tool({ name: 'a' } as never))).toThrow('no input schema');
  });

  it.each([
    [null, 'must be a JSON object'],
    [[], 'must be a JSON object'],
    [{}, 'has no "name"'],
    [{ name: 7 }, 'has a "name" that is not a string'],
    [{ name: 'a' }, 'The tool "a" has no "inputSchema".'],
    [{ name: 'a', inputSchema: {}, title: 1 }, 'has a "title" that is not a string'],
    [
      { name: 'a', inputSchema: {}, annotations: { readOnlyHint: 'yes' } },
      'has a "readOnlyHint" that is not true or false',
    ],
    [{ name: 'a', inputSchema: {}, icons: [{}] }, 'The "icons[0]" of tool "a" has no "src".'],
    [{ name: 'a', inputSchema: {}, icons: [{ src: 'x', theme: 'blue' }] }, 'not one of light, dark'],
    [
      { name: 'a', inputSchema: {}, execution: { taskSupport: 'maybe' } },
      'not one of forbidden, optional, required',
    ],
    [{ name: 'a', inputSchema: {}, _meta: 'x' }, 'has a "_meta" that is not an object'],
  ])('the malformed tool %j', (wire, message) => {
    expect(() => new McpToolConverter().convertTo(wire as never)).toThrow(ErrInvalidTool);
    expect(() => new McpToolConverter().convertTo(wire as never)).toThrow(message);
  });

  it.each([true, '{"type":', 7])('the schema %j of a tool, as an invalid schema', (schema) => {
    for (const wire of [
      { name: 'a', inputSchema: schema },
      { name: 'a', inputSchema: {}, outputSchema: schema },
    ])
      expect(() => new McpToolConverter().convertTo(wire as never)).toThrow(ErrInvalidSchema);
  });

  it('malformed prompts and resources', () => {
    expect(() => new McpPromptConverter().convertTo({ name: 'p', arguments: [{}] } as never)).toThrow(
      ErrInvalidModel,
    );
    expect(() => new McpResourceConverter().convertTo({ name: 'r' } as never)).toThrow('has no "uri"');
    expect(() =>
      new McpResourceConverter().convertTo({
        name: 'r',
        uri: 'u',
        annotations: { audience: ['all'] },
      } as never),
    ).toThrow('"user" and "assistant"');
    expect(() => new McpResourceTemplateConverter().convertTo({ name: 'r' } as never)).toThrow(
      'has no "uriTemplate"',
    );
  });

  it('fields inherited from a prototype', () => {
    const wire = Object.create({ name: 'inherited', inputSchema: { type: 'object' } }) as McpTool;
    expect(() => new McpToolConverter().convertTo(wire)).toThrow('has no "name"');
  });
});

describe('fromMCPJSON and toMCPJSON', () => {
  it('read and write one tool, which can be extended afterwards [S002-30]', () => {
    const text = '{"name":"search","description":"Finds","inputSchema":{"type":"object"},"_meta":{"x/y":1}}';
    const tool = fromMCPJSON(text);
    tool.namespace = 'acme';
    tool.setTags(['Find Things'], normalizeTags);
    expect(tool.toolID()).toBe('acme:search');
    expect(tool.tags).toEqual(['find-things']);
    expect(toMCPJSON(tool)).toBe(text);
    expect(toMCPJSON(fromMCPJSON(JSON.parse(text) as object))).toBe(text);
  });

  it('keep fields that only 2025-11-25 defines', () => {
    const text = '{"name":"a","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}';
    expect(toMCPJSON(fromMCPJSON(text), '2025-11-25')).toBe(text);
  });

  it('reject values that are not JSON', () => {
    expect(() => fromMCPJSON('{')).toThrow(ErrInvalidTool);
    expect(() => fromMCPJSON('7')).toThrow('must be a JSON object');
  });

  it('keep a property named __proto__ and pollute nothing', () => {
    const text =
      '{"name":"a","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"}}},"_meta":{"__proto__":{"polluted":true}}}';
    expect(toMCPJSON(fromMCPJSON(text))).toBe(text);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('ConverterBase', () => {
  class Halves extends ConverterBase<number, string> {
    override convertFrom(source: number) {
      return source % 2 === 0 ? String(source / 2) : null;
    }
    override convertTo(target: string) {
      return target === 'skip' ? undefined : Number(target) * 2;
    }
  }
  const halves = new Halves();

  it('converts single values and batches, and drops null in batches [S000-19] [S001-04]', () => {
    expect(halves.convertFrom(4)).toBe('2');
    expect(halves.convertTo('2')).toBe(4);
    expect(halves.convertFromBatch([2, null, 3, undefined, 4])).toEqual(['1', '2']);
    expect(halves.convertToBatch(['1', null, 'skip', '2'])).toEqual([2, 4]);
    expect(halves.convertFromBatch([])).toEqual([]);
  });

  it('keeps falsy results', () => {
    expect(new Halves().convertFromBatch([0])).toEqual(['0']);
    expect(new Halves().convertToBatch(['0'])).toEqual([0]);
  });

  it('is the base of all five converters, which add no batch logic [S000-20] [S000-22]', () => {
    for (const Base of [
      ToolConverterBase,
      GroupConverterBase,
      PromptConverterBase,
      ResourceConverterBase,
      ToolAnnotationsConverterBase,
    ]) {
      expect(Base.prototype).toBeInstanceOf(ConverterBase);
      expect(Object.hasOwn(Base.prototype, 'convertFromBatch')).toBe(false);
      expect(Object.hasOwn(Base.prototype, 'convertToBatch')).toBe(false);
    }
  });

  it('has aliases that return the same as the plain methods [S000-21]', () => {
    const toolConverter = new McpToolConverter();
    const wire: McpTool = { name: 'a', inputSchema: { type: 'object' } };
    const tool = toolConverter.convertToTool(wire) as Tool;
    expect(tool).toEqual(toolConverter.convertTo(wire));
    expect(toolConverter.convertFromTool(tool)).toEqual(wire);
    expect(toolConverter.convertFromTools([tool, null])).toEqual([wire]);
    expect(toolConverter.convertToTools([wire, undefined])).toEqual([tool]);

    const promptConverter = new McpPromptConverter();
    const prompt = promptConverter.convertTo({ name: 'p' });
    expect(promptConverter.convertToPrompt({ name: 'p' })).toEqual(prompt);
    expect(promptConverter.convertFromPrompt(prompt)).toEqual({ name: 'p' });
    expect(promptConverter.convertFromPrompts([prompt])).toEqual([{ name: 'p' }]);
    expect(promptConverter.convertToPrompts([{ name: 'p' }])).toEqual([prompt]);

    const resourceConverter = new McpResourceConverter();
    const resource = resourceConverter.convertTo({ name: 'r', uri: 'u:u' });
    expect(resourceConverter.convertToResource({ name: 'r', uri: 'u:u' })).toEqual(resource);
    expect(resourceConverter.convertFromResource(resource)).toEqual({ uri: 'u:u', name: 'r' });
    expect(resourceConverter.convertFromResources([resource])).toEqual([{ uri: 'u:u', name: 'r' }]);
    expect(resourceConverter.convertToResources([{ name: 'r', uri: 'u:u' }])).toEqual([resource]);

    const groupConverter = new GroupTreeConverter();
    const group = groupConverter.convertTo({ name: 'g' });
    expect(groupConverter.convertToGroup({ name: 'g' })).toEqual(group);
    expect(groupConverter.convertFromGroup(group)).toEqual({ name: 'g' });
    expect(groupConverter.convertFromGroups([group])).toEqual([{ name: 'g' }]);
    expect(groupConverter.convertToGroups([{ name: 'g' }])).toEqual([group]);

    const annotationsConverter = new McpToolAnnotationsConverter();
    const readOnly = new ToolAnnotations({ readOnlyHint: true });
    expect(annotationsConverter.convertFromToolAnnotations(readOnly)).toEqual({ readOnlyHint: true });
    expect(annotationsConverter.convertToToolAnnotations({ readOnlyHint: true })).toEqual(readOnly);
    expect(annotationsConverter.convertFromToolAnnotationsBatch([readOnly, null])).toEqual([
      { readOnlyHint: true },
    ]);
    expect(annotationsConverter.convertToToolAnnotationsBatch([{ readOnlyHint: true }, undefined])).toEqual([
      readOnly,
    ]);
  });
});
