import { describe, expect, it } from 'vitest';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { ErrInvalidOptions, ErrInvalidTool } from '@toolfold/schema/errors';
import { normalizeTags } from '../model/tool.js';
import { Exposure } from '../toolsets/exposure.js';
import { createToolSearch } from '@toolfold/search';
import { toDocument } from '../../../search/src/form/entries.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import type { ToolRegistryOptions } from '../registry/registry-options.js';
import type { ViewPolicy } from './policy.js';
import { internalsOf } from '../registry/any-registry.js';

const tool = (name: string, tags: readonly string[]) => ({
  name,
  description: 'Does something',
  tags,
  inputSchema: {},
  handler: () => 'done',
});

/** A tool `tagged` with these tags, beside one without any. */
function serverWith(tags: readonly string[], options: ToolRegistryOptions<unknown> = {}): ToolRegistry {
  return new ToolRegistry(options).register(tool('tagged', tags), tool('plain', []));
}

const listed = (registry: ToolRegistry, policy: ViewPolicy): string[] =>
  registry
    .view(policy)
    .listTools()
    .map(({ name }) => name);

describe('a tag filter', () => {
  it.each(['внутреннее', '财务', 'سري', '🔒', 'x'.repeat(200), 'Billing/Refunds', 'a & b'])(
    'finds the tag %s, with special characters or long, in every field',
    async (tag) => {
      const registry = serverWith([tag]);
      expect(listed(registry, { tags: [tag] })).toEqual(['tagged']);
      expect(listed(registry, { anyTags: ['other', tag] })).toEqual(['tagged']);
      expect(listed(registry, { excludeTags: [tag] })).toEqual(['plain']);
      const result = await registry.executeTool({ name: 'tagged' }, registry.view({ excludeTags: [tag] }));
      expect(result.isError).toBe(true);
    },
  );

  it('hides everything when no tool carries the tag, in any script', () => {
    expect(listed(serverWith(['finance']), { tags: ['财务'] })).toEqual([]);
  });

  it('supports more than 20 tags of a tool and more than 20 entries of a policy', () => {
    const many = Array.from({ length: 21 }, (_, at) => `t${at}`);
    expect(listed(serverWith(many), { excludeTags: ['t20'] })).toEqual(['plain']);
    expect(listed(serverWith(['t20']), { excludeTags: many })).toEqual(['plain']);
  });

  it('distinguishes similar tags', () => {
    const long = 'x'.repeat(64);
    for (const [tag, other] of [
      ['billing/refunds', 'billingrefunds'],
      ['read only', 'read-only'],
      [`${long}a`, `${long}b`],
      ['日本', '日木'],
    ] as const) {
      expect(listed(serverWith([tag]), { tags: [other] })).toEqual([]);
      expect(listed(serverWith([tag]), { excludeTags: [other] })).toEqual(['tagged', 'plain']);
    }
  });

  it('ignores case, surrounding white space and Unicode composition', () => {
    for (const [tag, other] of [
      ['Admin', ' aDMIN\t'],
      ['caf\u00e9', 'CAFE\u0301'],
      ['\u212b', 'å'],
    ] as const)
      expect(listed(serverWith([tag]), { excludeTags: [other] })).toEqual(['plain']);
  });

  it.each(['tags', 'anyTags', 'excludeTags', 'actions', 'exclude'])(
    'in the field %s rejects an empty entry',
    (field) => {
      for (const empty of ['', '  ', '\u3000'])
        expect(() => serverWith(['a']).view({ [field]: ['a', empty] })).toThrow(ErrInvalidOptions);
    },
  );

  it.each(['tags', 'excludeTags', 'allowlist', 'denylist'])(
    'in the field %s of an exposure policy rejects an empty entry',
    (field) => {
      const catalog = { a: { name: 'A', description: 'Tools', tools: [tool('inside', [])] } };
      const open = (): unknown =>
        new Exposure(serverWith([]), {
          toolsets: {
            catalog: catalog as never,
            startup: { mode: 'STATIC', toolsets: 'ALL' },
            exposurePolicy: { [field]: [''] },
          },
        });
      expect(open).toThrow(ErrInvalidOptions);
    },
  );
});

describe('the tag strategy of a registry', () => {
  /** `team/billing` also carries `team`. */
  const withParents = (tags: readonly string[]): string[] =>
    tags.flatMap((tag) => tag.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/')));

  it('adds tags that policies can name, for definitions and for builders [S002-29]', () => {
    const registry = serverWith(['Team/Billing'], { tagStrategy: withParents });
    registry.register(
      new GroupedToolBuilder('grouped').tags('team/ops').action({ name: 'run', handler: () => 'done' }),
    );
    expect(listed(registry, { tags: ['team'] })).toEqual(['tagged', 'grouped']);
    expect(listed(registry, { excludeTags: ['team'] })).toEqual(['plain']);
    expect(listed(registry, { tags: ['team/billing'] })).toEqual(['tagged']);
    expect(listed(serverWith(['Team/Billing']), { tags: ['team'] })).toEqual([]);
  });

  it('also feeds the search index', async () => {
    const registry = serverWith(['Team/Billing'], { tagStrategy: () => ['invoicing'] });
    const { actions } = internalsOf(registry).tools.compileItem(tool('inside', []));
    const [compiled] = actions.values();
    const document = toDocument({ compiled: compiled as never, toolsets: [] } as never, new Map() as never);
    expect(document.tags).toEqual(['invoicing']);
    expect(createToolSearch([document]).search('invoicing')[0]).toMatchObject({ address: 'inside' });
  });

  it('never removes a tag of the author, even if it drops tags [S002-29]', () => {
    const registry = serverWith(['внутреннее', 'Read Only'], { tagStrategy: normalizeTags });
    expect(listed(registry, { excludeTags: ['внутреннее'] })).toEqual(['plain']);
    expect(listed(registry, { tags: ['read only', 'read-only'] })).toEqual(['tagged']);
  });

  it('leaves a builder in another registry unchanged', () => {
    const shared = new GroupedToolBuilder('shared')
      .tags('a/b')
      .action({ name: 'run', handler: () => 'done' });
    const derived = new ToolRegistry({ tagStrategy: withParents }).register(shared);
    expect(listed(derived, { tags: ['a'] })).toEqual(['shared']);
    expect(listed(new ToolRegistry().register(shared), { tags: ['a'] })).toEqual([]);
  });

  it('must be a function that returns a list of strings', () => {
    expect(() => new ToolRegistry({ tagStrategy: 'lower' as never })).toThrow(ErrInvalidOptions);
    expect(() => serverWith(['a'], { tagStrategy: () => 'a' as never })).toThrow(ErrInvalidTool);
  });
});

describe('a registry', () => {
  it.each([
    [{ listIdentity: 'yes' }, 'listIdentity must be true or false.'],
    [{ schemaValidator: {} }, 'schemaValidator must be an object with the methods compile()'],
    [{ rateLimiter: { calls: 5, windowMs: 1_000, anonymous: 5 } }, 'rateLimiter has no option "anonymous".'],
    [{ concurrency: { max: 5, queued: 5 } }, 'concurrency has no option "queued". Did you mean "queue"?'],
    [{ concurrency: { queue: 5 } }, 'concurrency.max must be a number of at least 1.'],
    [{ rateLimiter: { calls: 5 } }, 'rateLimiter.windowMs must be a number'],
  ])('rejects the options %j and states the expected values', (options, message) => {
    expect(() => new ToolRegistry(options as never)).toThrow(message);
  });
});
