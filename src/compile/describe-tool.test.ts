import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import fc from 'fast-check';
import { readSchema } from '../schema/read/read-schema.js';
import { requiredFields } from '../schema/read/schema-fields.js';
import { deepFreeze } from '../values/json-value.js';
import { generateDescription, getGroupSummaries, summarize, aggregateAnnotations } from './describe-tool.js';
import type { DescribedAction } from './describe-tool.js';
import { ToolAnnotations } from '../model/tool.js';
import type { ToolAnnotationsInit } from '../model/tool.js';
import type { Hints } from '../define/tool-definition.js';

/** A hand-made action as a description sees it, without builder or registry. */
const action = (
  key: string,
  { required = [], ...rest }: Partial<DescribedAction> & { required?: readonly string[] } = {},
): DescribedAction => {
  const [group, name] = key.includes('.') ? key.split('.') : [undefined, key];
  return { key, actionName: name ?? key, groupName: group, input: { required }, ...rest };
};

const flat = [action('list'), action('create'), action('delete')];
const grouped = ['users.list', 'users.create', 'users.ban', 'billing.invoices', 'billing.refund'].map((key) =>
  action(key),
);

describe('the summary', () => {
  it('of a flat tool is its description and its actions [S000-56] [S000-58]', () => {
    expect(summarize({ name: 'users', description: 'Manages users', actions: flat, hasGroup: false })).toBe(
      'Manages users. Actions: list, create, delete',
    );
  });

  it('of a grouped tool lists its modules [S000-57]', () => {
    expect(
      summarize({ name: 'platform', description: 'Users and billing', actions: grouped, hasGroup: true }),
    ).toBe('Users and billing. Modules: users (list,create,ban) | billing (invoices,refund)');
  });

  it('collects the modules by group, in order of first mention [S000-61]', () => {
    expect(getGroupSummaries(grouped)).toEqual(['users (list,create,ban)', 'billing (invoices,refund)']);
    const mixed = ['b.one', 'a.one', 'b.two'].map((key) => action(key));
    expect(getGroupSummaries(mixed)).toEqual(['b (one,two)', 'a (one)']);
    expect(getGroupSummaries([action('constructor.a'), action('__proto__.b')])).toEqual([
      'constructor (a)',
      '__proto__ (b)',
    ]);
  });

  it.each([
    ['Manages users.', 'Manages users. Actions: list'],
    [' Manages users! ', 'Manages users! Actions: list'],
    ['Which user?', 'Which user? Actions: list'],
    ['', 'users. Actions: list'],
    ['  ', 'users. Actions: list'],
    [undefined, 'users. Actions: list'],
  ])('of %j ends the sentence before the list', (description, summary) => {
    expect(summarize({ name: 'users', description, actions: [action('list')], hasGroup: false })).toBe(
      summary,
    );
  });
});

describe('the description', () => {
  it('is a summary, then a list of actions in Markdown [S000-54] [S000-59] [S001-08]', () => {
    const text = generateDescription({
      name: 'platform',
      description: 'Users and billing',
      hasGroup: true,
      actions: [
        action('users.list', { description: 'Lists users' }),
        action('users.create', { description: 'Adds a user', required: ['email', 'role'] }),
        action('users.ban', { required: ['id'], destructive: true }),
      ],
    });
    expect(text.split('\n')).toEqual([
      'Users and billing. Modules: users (list,create,ban)',
      '',
      'Details:',
      '- `users.list`: Lists users',
      '- `users.create`: Adds a user. Requires: email, role',
      '- `users.ban`: Requires: id ⚠️ DESTRUCTIVE',
    ]);
  });

  it('has a line only for actions with details [S000-60]', () => {
    const silent = action('list', { destructive: false, description: ' ' });
    const text = generateDescription({
      name: 'x',
      hasGroup: false,
      actions: [silent, action('drop', { destructive: true })],
    });
    expect(text).toBe('x. Actions: list, drop\n\nDetails:\n- `drop`: ⚠️ DESTRUCTIVE');
    expect(generateDescription({ name: 'x', hasGroup: false, actions: [silent] })).toBe('x. Actions: list');
  });

  it('marks exactly the destructive actions, at the end of their line [S000-62]', () => {
    const lines = generateDescription({
      name: 'x',
      hasGroup: false,
      actions: [
        action('get', { description: 'Reads', required: ['id'] }),
        action('drop', { description: 'Drops', required: ['id'], destructive: true }),
        action('put', { description: 'Writes', destructive: false }),
      ],
    }).split('\n');
    expect(lines.filter((line) => line.endsWith('⚠️ DESTRUCTIVE'))).toEqual([
      '- `drop`: Drops. Requires: id ⚠️ DESTRUCTIVE',
    ]);
    expect(lines.filter((line) => line.includes('DESTRUCTIVE'))).toHaveLength(1);
  });

  it('takes the required fields from the schema of the action [S000-79]', () => {
    const source = z.union([
      z.object({ id: z.string(), limit: z.number().default(1), a: z.string() }),
      z.object({ id: z.string(), name: z.string().optional(), a: z.string() }),
    ]);
    const input = readSchema(source);
    const text = generateDescription({ name: 'x', hasGroup: false, actions: [{ ...action('go'), input }] });
    expect(text).toContain(`- \`go\`: Requires: ${requiredFields(input.fields).join(', ')}`);
    expect(text).toContain('Requires: id, a');
  });

  it('has one line per action, for any text of the author', () => {
    const text = generateDescription({
      name: 'x',
      hasGroup: false,
      actions: [action('a', { description: '\nFirst.\n\n  - `b`: is not a line\r\n' }), action('c')],
    });
    expect(text.split('\n').slice(3)).toEqual(['- `a`: First. - `b`: is not a line']);
  });

  it('is a pure function of the tool', () => {
    const tool = () => ({
      name: 'x',
      description: 'X',
      hasGroup: true,
      actions: grouped.map((each) => ({ ...each })),
    });
    const frozen = deepFreeze(tool());
    const first = generateDescription(frozen);
    expect(generateDescription(frozen)).toBe(first);
    expect(generateDescription(tool())).toBe(first);
  });
});

const hint = (name: keyof ToolAnnotationsInit, ...actions: readonly Hints[]) =>
  aggregateAnnotations(actions)[name];

describe('the hints of a tool', () => {
  it('are the annotations of MCP, field by field [S000-25] [S000-66] [S001-10]', () => {
    const annotations = aggregateAnnotations(
      [
        { readOnly: true, idempotent: true, openWorld: false },
        { readOnly: false, destructive: true, idempotent: true, openWorld: true },
      ],
      { title: 'Platform', returnDirect: true },
    );
    expect(annotations).toBeInstanceOf(ToolAnnotations);
    expect(Object.keys(annotations).toSorted()).toEqual(Object.keys(new ToolAnnotations()).toSorted());
    expect({ ...annotations }).toEqual({
      title: 'Platform',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: true,
      returnDirect: true,
    });
  });

  it('are destructive if any action is [S000-67]', () => {
    const [yes, no, unsaid] = [{ destructive: true }, { destructive: false }, {}];
    expect(hint('destructiveHint', no, yes, unsaid)).toBe(true);
    expect(hint('destructiveHint', no, no)).toBe(false);
    expect(hint('destructiveHint', no, unsaid)).toBeUndefined();
  });

  it('are read-only if all actions are [S000-68]', () => {
    const [yes, no, unsaid] = [{ readOnly: true }, { readOnly: false }, {}];
    expect(hint('readOnlyHint', yes, yes)).toBe(true);
    expect(hint('readOnlyHint', yes, no)).toBe(false);
    expect(hint('readOnlyHint', yes, unsaid)).toBeUndefined();
    expect(hint('readOnlyHint', unsaid, no)).toBe(false);
  });

  it('are idempotent if all actions are [S000-69]', () => {
    const [yes, no, unsaid] = [{ idempotent: true }, { idempotent: false }, {}];
    expect(hint('idempotentHint', yes, yes)).toBe(true);
    expect(hint('idempotentHint', yes, no)).toBe(false);
    expect(hint('idempotentHint', yes, unsaid)).toBeUndefined();
  });

  it('are open-world if any action is', () => {
    const [yes, no, unsaid] = [{ openWorld: true }, { openWorld: false }, {}];
    expect(hint('openWorldHint', no, yes)).toBe(true);
    expect(hint('openWorldHint', no, no)).toBe(false);
    expect(hint('openWorldHint', no, unsaid)).toBeUndefined();
  });

  it('are consistent: a read-only tool is not destructive, and a destructive tool is not read-only', () => {
    expect(aggregateAnnotations([{ readOnly: true }])).toMatchObject({
      readOnlyHint: true,
      destructiveHint: false,
    });
    expect(aggregateAnnotations([{ destructive: true }, { readOnly: true }])).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
    });
    expect(hint('readOnlyHint', { destructive: false })).toBeUndefined();
    expect(hint('destructiveHint', { readOnly: false })).toBeUndefined();
  });

  it('are omitted if no action declares any', () => {
    expect(aggregateAnnotations([{}, {}])).toEqual(new ToolAnnotations());
    expect(aggregateAnnotations([])).toEqual(new ToolAnnotations());
  });

  it('can be overridden by the author of the tool [S000-70]', () => {
    const actions = [
      { readOnly: true, idempotent: true },
      { destructive: true, openWorld: true },
    ];
    expect(aggregateAnnotations(actions, { destructiveHint: false, title: 'T' })).toMatchObject({
      title: 'T',
      destructiveHint: false,
      readOnlyHint: false,
      openWorldHint: true,
    });
    expect(
      aggregateAnnotations(actions, { readOnlyHint: undefined, destructiveHint: undefined }),
      'what is undefined is not said',
    ).toEqual(aggregateAnnotations(actions));
  });
});

describe('the hints of any list of actions', () => {
  const flag = fc.constantFrom(true, false, undefined);
  const hints: fc.Arbitrary<Hints> = fc.record(
    { readOnly: flag, destructive: flag, idempotent: flag, openWorld: flag },
    { requiredKeys: [] },
  );
  const explicit = fc.record(
    {
      readOnlyHint: flag,
      destructiveHint: flag,
      idempotentHint: flag,
      openWorldHint: flag,
      title: fc.string(),
    },
    { requiredKeys: [] },
  );
  const shuffled = fc
    .array(hints, { maxLength: 6 })
    .chain((actions) =>
      fc.tuple(fc.constant(actions), fc.shuffledSubarray(actions, { minLength: actions.length })),
    );

  it('do not depend on order or repetition', () => {
    fc.assert(
      fc.property(shuffled, explicit, ([actions, other], given) => {
        const annotations = aggregateAnnotations(actions, given);
        expect(aggregateAnnotations(other, given)).toEqual(annotations);
        expect(aggregateAnnotations([...actions, ...actions], given)).toEqual(annotations);
      }),
    );
  });

  it('claim only what holds for each action', () => {
    fc.assert(
      fc.property(fc.array(hints, { minLength: 1, maxLength: 6 }), (actions) => {
        const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } =
          aggregateAnnotations(actions);
        if (readOnlyHint) expect(actions.every(({ readOnly }) => readOnly)).toBe(true);
        if (idempotentHint) expect(actions.every(({ idempotent }) => idempotent)).toBe(true);
        if (destructiveHint === false) expect(actions.some(({ destructive }) => destructive)).toBe(false);
        if (openWorldHint === false) expect(actions.every(({ openWorld }) => openWorld === false)).toBe(true);
      }),
    );
  });

  it('are a new object, equal for equal actions, and leave the actions unchanged', () => {
    fc.assert(
      fc.property(fc.array(hints), explicit, (actions, given) => {
        const frozen = deepFreeze(structuredClone({ actions, given }));
        const first = aggregateAnnotations(frozen.actions, frozen.given);
        expect(aggregateAnnotations(frozen.actions, frozen.given)).toEqual(first);
        expect(aggregateAnnotations(actions, given)).toEqual(first);
        expect(first).not.toBe(frozen.given);
      }),
    );
  });
});
