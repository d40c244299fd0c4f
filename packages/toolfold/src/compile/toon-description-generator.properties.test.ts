import { decode } from '@toon-format/toon';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DescriptionInput } from './description-generator.js';
import { runs } from '../../../../test/runs.js';
import { action, table } from '../../test/compile/toon-description-generator-setup.js';

describe('the TOON description', () => {
  it('decodes to the same rows, for any text of the author', () => {
    const odd = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '',
        ' ',
        '-',
        '- a',
        'true',
        'null',
        '05',
        '1e5',
        '[1]',
        '{a}',
        'a|b',
        'a,b',
        '"',
        '\\',
        '#',
      ),
      fc.constantFrom(
        'a\nb',
        '\t',
        '\r\n',
        '⚠️',
        ':',
        'a: b',
        '[2|]{a|b}:',
        '__proto__',
        'constructor',
        '\u0000',
      ),
    );
    const actions = fc.array(
      fc.record({
        actionName: odd,
        description: fc.option(odd, { nil: undefined }),
        required: fc.array(odd, { maxLength: 3 }),
        destructive: fc.constantFrom(true, false, undefined),
        groupName: odd,
      }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(actions, fc.boolean(), (rows, hasGroup) => {
        const tool: DescriptionInput = {
          name: 'x',
          hasGroup,
          actions: rows.map(({ actionName, groupName, ...rest }) =>
            action(actionName, hasGroup ? groupName : undefined, rest),
          ),
        };
        const toRow = ({ actionName, description, required, destructive }: (typeof rows)[number]) => ({
          action: actionName,
          desc: description ?? '',
          required: required.join(','),
          destructive: destructive ?? false,
        });
        const groups = rows.map(({ groupName }): [string, unknown] => [
          groupName,
          rows.filter((row) => row.groupName === groupName).map(toRow),
        ]);
        const expected = hasGroup ? Object.fromEntries(groups) : rows.map(toRow);
        expect(decode(table(tool))).toEqual(expected);
      }),
      { numRuns: runs(500) },
    );
  });
});
