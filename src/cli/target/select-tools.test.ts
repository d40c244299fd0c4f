import { describe, expect, it } from 'vitest';
import { assertChoice, selectTools } from './select-tools.js';

const tools = ['read_file', 'read_text_file', 'write_file'].map((name) => ({
  name,
  description: name,
  inputSchema: { type: 'object' } as const,
  handler: () => name,
}));

describe('--toolsets', () => {
  it('chooses tools whose names begin with a word, be it only one', () => {
    const choice = { toolsets: ['write'] };
    expect(() => assertChoice(tools, choice)).not.toThrow();
    expect(selectTools(tools, choice).map(({ name }) => name)).toEqual(['write_file']);
  });
});
