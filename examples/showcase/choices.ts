/** Values that the command line accepts. This file has no imports, so that command line errors appear at once. */
export const forms = ['grouped', 'flat', 'search', 'dynamic'] as const;
export type Form = (typeof forms)[number];

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
