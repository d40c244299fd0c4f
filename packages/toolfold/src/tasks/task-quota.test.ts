import { describe, expect, it } from 'vitest';
import { TaskRoom } from './task-quota.js';

describe('the quota of tasks', () => {
  it('keeps no data of callers without tasks', () => {
    const room = new TaskRoom();
    for (let index = 0; index < 1_000; index++) room.add(`owner ${index}`, { places: 1 });
    for (let index = 0; index < 1_000; index++) room.add(`owner ${index}`, { places: -1 });
    expect(room.owners).toBe(0);
  });
});
