import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../tool-registry.js';
import { internalsOf } from '../any-registry.js';

const tool = (name: string, reply: string) => ({
  name,
  description: `Answers ${reply}`,
  inputSchema: {},
  handler: () => reply,
});
const resource = (uri: string, reply: string) => ({ name: 'r', uri, handler: () => reply });
const template = (uriTemplate: string, reply: string) => ({ name: 't', uriTemplate, handler: () => reply });
const prompt = (name: string, reply: string) => ({
  name,
  handler: () => ({ messages: [{ role: 'user' as const, content: { type: 'text' as const, text: reply } }] }),
});

/** Two mounted registries, of which the first one was mounted before the other. */
function mountTwo() {
  const first = new ToolRegistry({ name: 'first' });
  const later = new ToolRegistry({ name: 'later' });
  const host = new ToolRegistry({ name: 'host' }).mount('a', first).mount('a_b', later);
  const read = async (uri: string): Promise<unknown> => {
    const [contents] = (await host.readResource({ uri })).contents;
    return contents && 'text' in contents ? contents.text : undefined;
  };
  return { first, later, host, read };
}

const messages = (errors: readonly unknown[]): string =>
  errors.map((error) => (error as Error).message).join();

describe('an item of a mounted registry keeps its owner', () => {
  it('when a registry that was mounted before adds a resource of its URI, which is reported', async () => {
    const { first, later, read } = mountTwo();
    internalsOf(later).replaceItems({ resources: [resource('x://1', 'later')] });
    const conflicts = internalsOf(first).replaceItems({
      resources: [resource('x://1', 'first'), resource('x://2', 'new')],
    });
    expect(messages(conflicts)).toContain(
      'The resource "x://1" of "first" (mounted as "a") is also one of "later".',
    );
    expect([await read('x://1'), await read('x://2')]).toEqual(['later', 'new']);
    // The name is free as soon as its owner no longer has it.
    internalsOf(later).replaceItems({ resources: [resource('x://3', 'later')] });
    expect(await read('x://1')).toBe('first');
  });

  it('while its registry has no items, because the server of the registry may be down', async () => {
    const { first, later, host, read } = mountTwo();
    const items = {
      tools: [tool('c', 'later')],
      prompts: [prompt('c', 'later')],
      resources: [resource('x://1', 'later'), template('notes://{id}', 'later')],
    };
    internalsOf(later).replaceItems(items);
    internalsOf(first).replaceItems({
      tools: [tool('b_c', 'first')],
      prompts: [prompt('b_c', 'first')],
      resources: [
        resource('x://1', 'first'),
        ...['{+any}', 'x://{id}', 'notes://{+all}', 'notes://{id}'].map((each) => template(each, 'first')),
      ],
    });
    internalsOf(later).replaceItems({ tools: [], prompts: [], resources: [] });
    expect([host.listTools(), host.listPrompts()]).toEqual([[], []]);
    for (const uri of ['x://1', 'notes://5']) await expect(read(uri)).rejects.toThrow('Unknown resource');
    internalsOf(later).replaceItems(items);
    expect(JSON.stringify(await host.executeTool({ name: 'a_b_c' }))).toContain('later');
    expect(JSON.stringify(await host.getPrompt({ name: 'a_b_c' }))).toContain('later');
    expect([await read('x://1'), await read('notes://5')]).toEqual(['later', 'later']);
    // A registry that is no longer mounted keeps nothing.
    host.unmount('a_b');
    expect(await read('x://1')).toBe('first');
  });

  it('when a registry that was mounted before adds a prompt or a tool of its name', async () => {
    const { first, later, host } = mountTwo();
    internalsOf(later).replaceItems({ tools: [tool('c', 'later')], prompts: [prompt('c', 'later')] });
    const conflicts = internalsOf(first).replaceItems({
      tools: [tool('b_c', 'first')],
      prompts: [prompt('b_c', 'first')],
    });
    expect(messages(conflicts)).toContain('The tool "a:b_c" would be listed as "a_b_c", and so is "a_b:c"');
    expect(messages(conflicts)).toContain(
      'The prompt "a_b_c" of "first" (mounted as "a") is also one of "later"',
    );
    expect(JSON.stringify(await host.executeTool({ name: 'a_b_c' }))).toContain('later');
    expect(JSON.stringify(await host.getPrompt({ name: 'a_b_c' }))).toContain('later');
    expect(host.listTools()).toHaveLength(1);
  });

  it('when its list is loaded again with other texts', async () => {
    const { first, later, read } = mountTwo();
    internalsOf(later).replaceItems({ resources: [resource('x://1', 'later')] });
    internalsOf(first).replaceItems({ resources: [resource('x://1', 'first')] });
    internalsOf(later).replaceItems({
      resources: [{ ...resource('x://1', 'later 2'), description: 'Other' }],
    });
    expect(await read('x://1')).toBe('later 2');
  });

  it('when another one adds a template without a scheme, or one that takes some of its URIs', async () => {
    const { first, later, read } = mountTwo();
    internalsOf(later).replaceItems({
      resources: [resource('x://1', 'listed'), template('notes://{id}', 'later')],
    });
    internalsOf(first).replaceItems({
      resources: [
        template('{+any}', 'any'),
        template('notes://a{id}', 'first'),
        template('notes://{+all}', 'all'),
      ],
    });
    expect([await read('x://1'), await read('notes://abc')]).toEqual(['listed', 'later']);
    // Neither is a URI of a scheme that the other registry uses, although it lists no such resource.
    await expect(read('x://2')).rejects.toThrow('Unknown resource');
    expect(await read('other://1')).toBe('any');
  });

  it('although a template without a scheme has taken every URI before', async () => {
    const { first, later, read } = mountTwo();
    internalsOf(first).replaceItems({ resources: [template('{+any}', 'any')] });
    expect(await read('x://1')).toBe('any');
    const conflicts = internalsOf(later).replaceItems({
      resources: [resource('x://1', 'listed'), template('notes://{id}', 'later')],
    });
    expect(conflicts).toEqual([]);
    expect([await read('x://1'), await read('notes://5')]).toEqual(['listed', 'later']);
    expect(await read('other://1')).toBe('any');
  });

  it('when another one adds a resource that a template of the owner already serves', async () => {
    const { first, later, read } = mountTwo();
    internalsOf(later).replaceItems({ resources: [template('notes://{id}', 'later')] });
    const conflicts = internalsOf(first).replaceItems({ resources: [resource('notes://5', 'first')] });
    expect(messages(conflicts)).toContain(
      'The resource "notes://5" of "first" (mounted as "a") is also one of "later"',
    );
    expect(await read('notes://5')).toBe('later');
  });
});

it('gives names by the order of mounts while their items are loaded, and keeps the owners after that', async () => {
  const { first, later, host, read } = mountTwo();
  const end = internalsOf(host).preferFirstMounts();
  internalsOf(later).replaceItems({ resources: [resource('x://1', 'later'), resource('x://2', 'later')] });
  internalsOf(first).replaceItems({ resources: [resource('x://1', 'first')] });
  expect(await read('x://1')).toBe('first');
  end();
  internalsOf(first).replaceItems({ resources: [resource('x://1', 'first'), resource('x://2', 'first')] });
  expect([await read('x://1'), await read('x://2')]).toEqual(['first', 'later']);
});
