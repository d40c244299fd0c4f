import { describe, expect, it } from 'vitest';
import { isFrame, stripStack } from './strip-stack.js';

const { stack = '' } = new Error('boom');

describe('a text for clients', () => {
  it('has no frames of a stack trace', () => {
    expect(stripStack(stack)).toBe('Error: boom');
    expect(stripStack(`failed:\n${stack}\nTry again.`)).toBe('failed:\nError: boom\nTry again.');
  });

  it('has no frames in the JSON of another service', () => {
    const body = JSON.stringify({ error: 'x', stack: 'Error: x\n    at read (/srv/app/db.js:3:5)' });
    expect(stripStack(body)).toBe('{"error":"x","stack":"Error: x"}');
  });

  it.each([
    'The meeting is\nat 12:30:45',
    'Look at the list (page 3)',
    'at noon',
    'Not found.\n  at least one id is needed (see docs)',
    '',
  ])('keeps its words: %j', (text) => {
    expect(stripStack(text)).toBe(text);
  });

  it.each([
    '    at read (file:///srv/app.js:12:3)',
    '    at async Promise.all (index 0)',
    '    at file:///srv/app.js:12:3',
    '    at Array.map (<anonymous>)',
    String.raw`    at read (C:\srv\app.js:12:3)`,
    '    at async read (node:fs:1:2)',
    '    at new Reader (/srv/my app/reader.js:1:20)\r',
  ])('has no such line: %j', (line) => {
    expect(isFrame(line)).toBe(true);
  });
});
