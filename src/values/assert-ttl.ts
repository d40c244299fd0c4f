import { ErrInvalidModel } from '../errors.js';

export function assertTtl(ttlMs: number): void {
  if (!Number.isFinite(ttlMs) || ttlMs <= 0) {
    throw new ErrInvalidModel(`ttlMs must be a finite number above 0, not ${ttlMs}.`);
  }
}
