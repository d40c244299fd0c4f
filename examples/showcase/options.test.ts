import { describe, expect, it } from 'vitest';
import { StartError } from './errors.js';
import { help, optionNames, readOptions } from './options.js';

describe('the command line', () => {
  it('has defaults', () => {
    expect(readOptions([])).toEqual({
      isHelp: false,
      isStdio: false,
      port: 3000,
      form: 'grouped',
      allow: 'read',
      toolsets: undefined,
      isReadOnly: false,
      data: '.showcase',
      keys: undefined,
      callsPerMinute: 6_000,
      isJson: false,
      isTelemetry: false,
      hasPage: true,
    });
  });

  it('is parsed', () => {
    const argv = [
      '--port=0',
      '--form',
      'search',
      '--toolsets',
      ' accounts, reports ,',
      '--readonly',
      '--json',
    ];
    expect(readOptions(argv)).toMatchObject({
      port: 0,
      form: 'search',
      toolsets: ['accounts', 'reports'],
      isReadOnly: true,
      isJson: true,
    });
  });

  it.each([
    [['--prot', '1'], "Unknown option '--prot'. There are: --stdio, --port"],
    [['here'], "Unexpected argument 'here'"],
    [['--port'], "Option '--port <value>' argument missing"],
    [['--port', '70000'], '--port must be a whole number from 0 to 65535, and is "70000"'],
    [['--port', '1e3'], '--port must be a whole number'],
    [['--form', 'flta'], '--form must be grouped, flat, search, code, dynamic, and is "flta"'],
    [['--allow', 'all'], '--allow must be read or write, and is "all"'],
    [['--toolsets', 'account'], 'There is no toolset "account". There are: budgets, accounts'],
    [['--toolsets', ','], '--toolsets names none. There are: budgets, accounts'],
    [['--calls-per-minute', '0'], '--calls-per-minute must be a whole number from 1'],
  ])('with a mistake (%j) is rejected with the valid values', (argv, problem) => {
    expect(() => readOptions(argv)).toThrow(problem);
    try {
      readOptions(argv);
    } catch (error) {
      expect(error).toBeInstanceOf(StartError);
      expect((error as StartError).exitCode).toBe(2);
    }
  });

  it('has a help text with a line for every option', () => {
    expect(optionNames).toHaveLength(13);
    for (const name of optionNames) expect(help).toContain(`  --${name} `);
  });
});
