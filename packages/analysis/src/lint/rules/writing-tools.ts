/** Several rules follow this guide. */
export const writingTools = {
  source: 'https://www.anthropic.com/engineering/writing-tools-for-agents',
  date: '2025-09',
} as const;
