export const draft07 = 'http://json-schema.org/draft-07/schema#';
export const engines = ['generated', 'interpreted'] as const;
