/** `@toolfold/analysis`: lint rules, token counts and comparison for the tools of any MCP server. */
export { compare, countTokens, lint } from './analyse.js';
export type { Change, Severity as ChangeSeverity } from './diff/change.js';
export type { Comparison } from './diff/compare-surfaces.js';
export type { Finding, Severity } from './lint/finding.js';
