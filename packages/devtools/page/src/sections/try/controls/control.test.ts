import { describe, expect, it } from 'vitest';
import { readSchema } from '../form/read-schema.js';
import { placeholderOf } from './control.js';

describe('the text of an empty control', () => {
  it('shows the default, also one that is empty', () => {
    const textFor = (value: unknown) => placeholderOf(readSchema({ type: 'string', default: value }), false);
    expect(textFor('EUR')).toBe('default: EUR');
    expect(textFor('')).toBe('default: ""');
  });
});
