import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidTool, ErrInvalidToolID } from '@toolfold/schema/errors';
import { normalizeTags, ToolAnnotations, Tool, formatToolID, parseToolID } from './tool.js';

const tool = (init: Partial<ConstructorParameters<typeof Tool>[0]> = {}) =>
  new Tool({ name: 'search', inputSchema: { type: 'object' }, ...init });

describe('tool identity', () => {
  it('is namespace:name, or the name alone [S002-06]', () => {
    expect(tool({ namespace: 'acme' }).toolID()).toBe('acme:search');
    expect(tool().toolID()).toBe('search');
  });

  it('depends only on namespace and name [S002-07]', () => {
    const moved = tool({
      namespace: 'acme',
      version: '2.0.0',
      tags: ['x'],
      description: 'now elsewhere',
      meta: { url: 'b' },
    });
    expect(moved.toolID()).toBe(tool({ namespace: 'acme', version: '1.0.0' }).toolID());
  });

  it('rejects empty text when parsed [S002-12]', () => {
    expect(() => parseToolID('')).toThrow(ErrInvalidToolID);
  });

  it.each(['a:b:c', '::', 'a::b'])('rejects surplus separators in %s [S002-13]', (id) => {
    expect(() => parseToolID(id)).toThrow(ErrInvalidToolID);
  });

  it.each([':', ':name', 'namespace:'])('rejects the empty part in %s [S002-14]', (id) => {
    expect(() => parseToolID(id)).toThrow(ErrInvalidToolID);
  });

  it('rejects parts that could not be parsed again', () => {
    expect(() => tool({ namespace: 'a:b' }).toolID()).toThrow('Remove ":" from the namespace');
    expect(() => tool({ name: 'a:b' }).toolID()).toThrow(ErrInvalidToolID);
    expect(() => tool({ name: '' }).toolID()).toThrow(ErrInvalidToolID);
    expect(() => tool({ namespace: '' }).toolID()).toThrow(ErrInvalidToolID);
  });

  it('parses every id that it writes', () => {
    const part = fc.string({ minLength: 1 }).filter((text) => !text.includes(':'));
    fc.assert(
      fc.property(fc.option(part, { nil: undefined }), part, (namespace, name) => {
        const id = namespace === undefined ? { name } : { namespace, name };
        expect(parseToolID(formatToolID(id))).toEqual(id);
      }),
    );
  });

  it('writes every id that it parses', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        let id;
        try {
          id = parseToolID(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ErrInvalidToolID);
          return;
        }
        expect(formatToolID(id)).toBe(text);
      }),
    );
  });
});

describe('Tool.validate()', () => {
  it('requires a name [S002-15]', () => {
    expect(() => tool({ name: '' }).validate()).toThrow(ErrInvalidTool);
    expect(() => new Tool({ inputSchema: {} } as never).validate()).toThrow(ErrInvalidTool);
  });

  it('lists every character that is not allowed [S002-16]', () => {
    expect(() => tool({ name: 'get user/näme 🙂!' }).validate()).toThrow(
      'Tool name "get user/näme 🙂!" contains " ", "/", "ä", "🙂", "!".',
    );
  });

  it('accepts 1 to 128 letters, digits, underscores, dots and hyphens [S002-23]', () => {
    for (const name of ['a', 'A-Z_0.9', 'x'.repeat(128)])
      expect(() => tool({ name }).validate()).not.toThrow();
    expect(() => tool({ name: 'x'.repeat(129) }).validate()).toThrow('at most 128');
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 130, unit: 'binary' }), (name) => {
        let threw = false;
        try {
          tool({ name }).validate();
        } catch {
          threw = true;
        }
        expect(threw).toBe(!/^[A-Za-z0-9_.-]{1,128}$/.test(name));
      }),
    );
  });

  it.each([undefined, null])('requires an input schema, not %s [S002-17]', (inputSchema) => {
    expect(() => new Tool({ name: 'a', inputSchema } as never).validate()).toThrow('no input schema');
  });

  it('requires nothing else: neither a meaningful schema nor a description [S002-08] [S002-24] [S002-02]', () => {
    for (const inputSchema of [
      { type: 17 },
      { $ref: 'https://elsewhere.example/x' },
      {},
      [] as never,
      'text' as never,
    ]) {
      const odd = tool({ inputSchema, outputSchema: { type: 'nonsense' } });
      expect(() => odd.validate()).not.toThrow();
      expect(odd.inputSchema).toBe(inputSchema);
    }
  });
});

describe('tags', () => {
  it('are normalised to unique lower-case words in order', () => {
    expect(normalizeTags(['  Read  Only ', 'GIT\thub', 'a&b', 'read only', '', '***', 'x_y.z-1'])).toEqual([
      'read-only',
      'git-hub',
      'ab',
      'x_y.z-1',
    ]);
  });

  it('are at most 20 [S002-33]', () => {
    const many = Array.from({ length: 30 }, (_, index) => `t${index}`);
    expect(normalizeTags(many)).toEqual(many.slice(0, 20));
    expect(normalizeTags(['dup', 'dup', ...many])).toHaveLength(20);
  });

  it('are at most 64 characters long [S002-34]', () => {
    expect(normalizeTags(['x'.repeat(70)])).toEqual(['x'.repeat(64)]);
  });

  it('are unchanged when normalised again', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 80 }), { maxLength: 30 }), (tags) => {
        const once = normalizeTags(tags);
        expect(normalizeTags(once)).toEqual(once);
        for (const tag of once) expect(tag).toMatch(/^[a-z0-9_.-]{1,64}$/);
        expect(new Set(once).size).toBe(once.length);
        expect(once.length).toBeLessThanOrEqual(20);
      }),
    );
  });

  it('are kept as written, or processed by a given strategy', () => {
    const hierarchical = tool().setTags(['Team/Billing'], (tags) =>
      tags.flatMap((tag) => tag.toLowerCase().split('/')),
    );
    expect(hierarchical.tags).toEqual(['team', 'billing']);
    expect(tool({ tags: ['Team/Billing'] }).tags).toEqual(['Team/Billing']);
    expect(tool().setTags(['Team/Billing'], normalizeTags).tags).toEqual(['teambilling']);
  });

  it('are, with namespace and version, the only fields beyond MCP, and have no meaning for the model [S002-03] [S002-05]', () => {
    const fields = Object.keys(tool()).toSorted();
    const mcp = [
      'annotations',
      'description',
      'execution',
      'icons',
      'inputSchema',
      'meta',
      'name',
      'outputSchema',
      'title',
    ];
    expect(fields).toEqual([...mcp, 'namespace', 'tags', 'version'].toSorted());
    const odd = tool({ namespace: '//', version: 'not semver', tags: ['destructive'] });
    expect(() => odd.validate()).not.toThrow();
    expect(odd.annotations).toBeUndefined();
  });
});

describe('ToolAnnotations', () => {
  it('has the five hints of MCP by their own names, and returnDirect [S000-23] [S000-24]', () => {
    const all = {
      title: 'T',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
      returnDirect: true,
    };
    expect({ ...new ToolAnnotations(all) }).toEqual(all);
    expect(Object.keys(new ToolAnnotations())).toEqual(Object.keys(all));
  });

  it('has no hints that were not set', () => {
    expect(Object.values(new ToolAnnotations()).every((value) => value === undefined)).toBe(true);
  });
});
