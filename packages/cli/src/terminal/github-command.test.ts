import { describe, expect, it } from 'vitest';
import { githubCommand } from './github-command.js';

describe('a workflow command of GitHub', () => {
  it('escapes properties and lines, and has no control characters of an untrusted list', () => {
    const written = githubCommand(
      'error',
      [
        ['file', 'a,b:c.json'],
        ['line', 3],
        ['col', undefined],
        ['title', 'x\u001b[31m\u009b\u202e\u0007::error::owned'],
      ],
      'first 100%\n\u001b]0;title\u0007second',
    );
    expect(written).toMatch(/^::error file=a%2Cb%3Ac\.json,line=3,title=x/);
    expect(written).toContain('::first 100%25%0A');
    // oxlint-disable-next-line no-control-regex -- the test is about them
    expect(written).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(written).toContain('%3A%3Aerror%3A%3Aowned');
  });
});
