import type { McpTool } from './mcp-tool.js';
import { rulesOf } from './rules/rules-of.js';
import type { ProfileRules } from './rules/rules-of.js';
import { assertProfile } from './profile.js';
import type { LowerOptions, ProfileName, Violation } from './profile.js';
import { checkSchema } from './check-schema.js';
import { findInvalidPart, INVALID_TOOL } from './invalid-tool.js';
import { pointerOf } from '@toolfold/schema/internal';

/** Finds every rule of a profile that the tools break. An invalid tool breaks the rule `invalid-tool`. */
export function checkTools(
  tools: readonly McpTool[],
  profile: ProfileName,
  options: LowerOptions = {},
): Violation[] {
  assertProfile('checkTools', profile, options);
  const { serverName = '' } = options;
  const rules = rulesOf(profile);
  const violations: Violation[] = [];
  for (const { id, maxTools } of rules.lists) {
    if (tools.length <= maxTools) continue;
    const message = `The list may have ${maxTools} tools, and it has ${tools.length.toLocaleString('en')}.`;
    violations.push({ rule: id, tool: '', path: '', message });
  }
  for (const tool of tools) {
    const invalid = findInvalidPart(tool);
    if (invalid) violations.push({ rule: INVALID_TOOL, tool: String(Object(tool).name ?? ''), ...invalid });
    else checkTool(tool, rules, serverName, violations);
  }
  return violations;
}

function checkTool(tool: McpTool, rules: ProfileRules, server: string, violations: Violation[]): void {
  for (const { id, check } of rules.tools) {
    const found = check(tool, server);
    if (found) violations.push({ rule: id, tool: tool.name, ...found });
  }
  checkSchema(tool.inputSchema, rules, (rule, visited, message) => {
    violations.push({ rule, tool: tool.name, path: pointerOf(visited, '/inputSchema'), message });
  });
}
