import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Hints } from '../define/tool-definition.js';
import { ToolAnnotations } from '../model/tool.js';
import type { ToolAnnotationsInit } from '../model/tool.js';
import { deepFreeze } from '@toolfold/schema/internal';
import { aggregateAnnotations } from './annotation-aggregator.js';

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
