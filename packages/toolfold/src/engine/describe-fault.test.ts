import { describe, expect, it } from 'vitest';
import { redactorOf } from '../guards/redact/redactor.js';
import { describeFault } from './describe-fault.js';

const at = (frame: string): Error =>
  Object.assign(new Error('boom'), { stack: `Error: boom\n    at node:internal/x:1:1\n    at ${frame}` });

describe('the line about an error', () => {
  it.each([
    ['read (/srv/my app (2)/src/a.ts:3:4)', '/srv/my app (2)/src/a.ts:3:4'],
    ['/srv/my app/a.ts:3:4', '/srv/my app/a.ts:3:4'],
    ['async file:///srv/my%20app/a.ts:3:4', 'file:///srv/my%20app/a.ts:3:4'],
    ['async Object.read [as handler] (C:\\Users\\Ada L\\a.ts:3:4)', 'C:\\Users\\Ada L\\a.ts:3:4'],
    ['C:\\Users\\Ada L\\a.ts:3:4', 'C:\\Users\\Ada L\\a.ts:3:4'],
  ])('names the place of the frame "%s"', (frame, place) => {
    expect(describeFault(at(frame))).toBe(`toolfold: The server failed: Error: boom at ${place}`);
  });

  it('contains no part of a credential, wherever a long message is cut', () => {
    const secret = 'q7Zk29fLmX0vTtYw83Pn';
    const redactor = redactorOf([{ token: secret }]);
    expect(redactor.text(secret)).not.toContain(secret);
    for (const length of [170, 180, 190, 960, 980, 990]) {
      const message = `${'-'.repeat(length)}${secret} end`;
      for (const error of [new Error(message), new Error('x', { cause: new Error(message) })])
        expect(describeFault(error, { redactor })).not.toContain(secret.slice(0, 5));
    }
  });
});
