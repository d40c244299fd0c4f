import { describe, expect, it } from 'vitest';
import { UsageError } from '@toolfold/analysis/internal';
import { describeOptions, readArguments, readList } from './read-arguments.js';
import type { OptionSpecs } from './read-arguments.js';

const specs: OptionSpecs = {
  http: { value: 'port', withoutValue: '3000', help: 'Serve' },
  form: { value: 'form', help: 'Form' },
  tools: { value: 'a,b', isRepeatable: true, help: 'Tools' },
  readonly: { help: 'Read only' },
};
const read = (...argv: string[]) => {
  const { options, positionals, rest } = readArguments(argv, specs);
  return { options: Object.fromEntries(options), positionals, rest };
};

describe('the arguments of a command', () => {
  it('are options, positionals and the arguments after --', () => {
    expect(read('--form', 'flat', 'https://a', '--readonly')).toEqual({
      options: { form: ['flat'], readonly: [''] },
      positionals: ['https://a'],
      rest: undefined,
    });
    expect(read('--form=flat', '--', 'npx', '--form', '-y')).toEqual({
      options: { form: ['flat'] },
      positionals: [],
      rest: ['npx', '--form', '-y'],
    });
  });

  it.each([
    [['--http'], '3000', []],
    [['--http', '--readonly'], '3000', []],
    [['--http', '8080'], '8080', []],
    [['--http=0'], '0', []],
    [['--http', 'https://a'], '3000', ['https://a']],
    [['--http', 'abc'], 'abc', []],
  ])('may leave out a value that has a default: %j', (argv, port, positionals) => {
    const { options, positionals: others } = read(...argv);
    expect(options['http']).toEqual([port]);
    expect(others).toEqual(positionals);
  });

  it.each([
    [['--frm', 'x'], 'Unknown option --frm. Did you mean --form?'],
    [['--nothing-like-it'], 'Unknown option --nothing-like-it. See --help.'],
    [['-x'], 'Unknown option -x. See --help.'],
    [['npx', '-y', 'foo', '--form'], 'Write -- before a command: -- npx -y foo --form'],
    [['--__proto__'], 'Unknown option --__proto__. See --help.'],
    [['--form'], '--form needs a value: --form form'],
    [['--readonly=yes'], '--readonly takes no value.'],
    [['--form', 'a', '--form', 'b'], '--form is given twice.'],
  ])('are rejected if they are invalid: %j', (argv, message) => {
    expect(() => read(...argv)).toThrow(new UsageError(message));
  });

  it('contain lists with commas, spaces and repetitions', () => {
    const { options } = read('--tools', ' a , b,,', '--tools=c');
    expect(readList(options['tools'])).toEqual(['a', 'b', 'c']);
    expect(readList(undefined)).toBeUndefined();
  });

  it('are shown with their values, optional ones in brackets', () => {
    expect(describeOptions(specs).split('\n')).toEqual([
      '  --http [port]  Serve',
      '  --form form    Form',
      '  --tools a,b    Tools',
      '  --readonly     Read only',
    ]);
  });
});
