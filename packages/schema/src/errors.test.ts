import { describe, expect, it } from 'vitest';
import * as errors from './errors.js';
import { ErrInvalidTool, ErrInvalidToolID, ToolfoldError, errorTable } from './errors.js';
import type { ErrorCode } from './errors.js';

describe('the error classes', () => {
  it('include one class for every code in the table', () => {
    for (const code of Object.keys(errorTable) as ErrorCode[]) {
      const ErrorClass = (errors as unknown as Record<string, new (message: string) => ToolfoldError>)[code];
      expect(ErrorClass, code).toBeTypeOf('function');
      const error = new ErrorClass!('x');
      expect(error).toBeInstanceOf(ToolfoldError);
      expect(error.code).toBe(code);
      expect(error.name).toBe(code);
      expect(error.audience).toBe(errorTable[code].audience);
    }
  });

  it('are distinguished by class or code, with any text [S002-11]', () => {
    const first = new ErrInvalidTool('same text');
    const second = new ErrInvalidToolID('same text');
    expect(first.message).toBe(second.message);
    expect(first).not.toBeInstanceOf(ErrInvalidToolID);
    expect([first.code, second.code]).toEqual(['ErrInvalidTool', 'ErrInvalidToolID']);
  });

  it('end the message with the hint, and keep cause and details', () => {
    const cause = new Error('underneath');
    const error = new ErrInvalidTool('No name.', { hint: 'Give one.', cause, details: { field: 'name' } });
    expect(error.message).toBe('No name. Give one.');
    expect(error.cause).toBe(cause);
    expect(error.details).toEqual({ field: 'name' });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: 'ErrInvalidTool',
      audience: 'author',
      message: 'No name. Give one.',
      hint: 'Give one.',
      details: { field: 'name' },
    });
  });

  it('record a stack trace only for authors', () => {
    const limit = Error.stackTraceLimit;
    for (const [code, { audience }] of Object.entries(errorTable)) {
      const ErrorClass = (errors as unknown as Record<string, new (message: string) => ToolfoldError>)[code];
      const hasTrace = /\n {4}at /.test(new ErrorClass!('x').stack ?? '');
      expect(hasTrace, code).toBe(audience === 'author');
    }
    expect(Error.stackTraceLimit).toBe(limit);
    expect(new Error('another').stack).toContain('errors.test');
  });

  it('keep stack traces of other errors enabled when a message cannot be converted to text', () => {
    const limit = Error.stackTraceLimit;
    const message = {
      toString() {
        throw new TypeError('no text');
      },
    } as unknown as string;
    expect(() => new errors.ErrRateLimited(message)).toThrow('no text');
    expect(Error.stackTraceLimit).toBe(limit);
  });

  it('can be constructed where the built-in objects are frozen', () => {
    const { stackTraceLimit } = Error;
    Object.defineProperty(Error, 'stackTraceLimit', { value: stackTraceLimit, writable: false });
    try {
      expect(new errors.ErrRateLimited('x').message).toBe('x');
    } finally {
      Object.defineProperty(Error, 'stackTraceLimit', { value: stackTraceLimit, writable: true });
    }
  });

  it('have no own cause property if none is given', () => {
    expect(Object.hasOwn(new ErrInvalidTool('x'), 'cause')).toBe(false);
  });
});
