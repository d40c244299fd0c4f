import { describe, expect, it } from 'vitest';
import { TaskRoom } from './task-quota.js';

describe('the quota of tasks', () => {
  it('keeps no data of callers without tasks', () => {
    const room = new TaskRoom();
    for (let index = 0; index < 1_000; index++) room.take(`owner ${index}`);
    for (let index = 0; index < 1_000; index++) room.leave(`owner ${index}`, 0);
    expect(room.owners).toBe(0);
  });
});
