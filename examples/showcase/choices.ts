/** Values that the command line accepts. This file has no imports, so that command line errors appear at once. */
export const forms = ['grouped', 'flat', 'search', 'code', 'dynamic'] as const;
export type Form = (typeof forms)[number];

/** The actions that code may call in the form `code`. */
export const allowances = ['read', 'write'] as const;
export type Allowance = (typeof allowances)[number];

export const toolsetKeys = [
  'budgets',
  'accounts',
  'categories',
  'payees',
  'transactions',
  'transfers',
  'automation',
  'reports',
  'market',
  'goals',
] as const;
export type ToolsetKey = (typeof toolsetKeys)[number];
