/** What the operator can choose from. Small, so that a mistake on the command line is answered at once. */
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
