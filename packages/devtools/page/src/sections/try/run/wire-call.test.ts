import { describe, expect, it } from 'vitest';
import { toWireCall } from './wire-call.js';

describe('a call on the wire', () => {
  it('has the input where the form of the server takes it', () => {
    const input = { text: 'a"b', action: 'other' };
    expect(toWireCall({ name: 'notes', arguments: { action: 'add' } }, input)).toEqual({
      name: 'notes',
      arguments: { text: 'a"b', action: 'add' },
    });
    expect(toWireCall({ name: 'call_read_tool', arguments: { address: 'notes/add' } }, input)).toEqual({
      name: 'call_read_tool',
      arguments: { address: 'notes/add', arguments: input },
    });
    const code = 'return await tools.notes.add({});';
    expect(toWireCall({ name: 'run_code', arguments: { code } }, { text: '$&' })).toEqual({
      name: 'run_code',
      arguments: { code: 'return await tools.notes.add({"text":"$&"});' },
    });
  });
});
