import { seed000 } from './requirements/seed-000.js';
import { seed001 } from './requirements/seed-001.js';
import { seed002 } from './requirements/seed-002.js';
import { seed003 } from './requirements/seed-003.js';
import { seed004 } from './requirements/seed-004.js';

export type Seed = '000' | '001' | '002' | '003' | '004';

/** The folder whose work will prove a pending entry. */
export type Area =
  | 'compile'
  | 'build'
  | 'registry'
  | 'guard'
  | 'format'
  | 'stores'
  | 'session'
  | 'toolsets'
  | 'serve';

/** One behaviour that a seed promises, and its tests. */
export interface Requirement {
  /** `S<seed>-<number>`, numbered per seed in reading order. */
  readonly id: string;
  readonly seed: Seed;
  readonly behaviour: string;
  /** Test files, relative to the repository, that cite the id as `[<id>]` in a test title. */
  readonly tests: readonly string[];
  /** Not built yet. */
  readonly pending?: Area;
  /** A later seed changes this behaviour; the entry with this id replaces it. */
  readonly supersededBy?: string;
}

export const requirements: readonly Requirement[] = [
  ...seed000,
  ...seed001,
  ...seed002,
  ...seed003,
  ...seed004,
];
