import { ToolRegistry } from 'toolfold';
import { addPrompts } from './prompts.js';
import { addResources } from './resources.js';
import { addAskingTools } from './tools/asking.js';
import { addChangingTools } from './tools/changing.js';
import { addContentTools } from './tools/content.js';
import { addReportingTools } from './tools/reporting.js';
import { addRoundTools } from './tools/rounds.js';
import { addSchemaTools } from './tools/schemas.js';
import { addTaskTools } from './tools/tasks.js';

/** All features of MCP, under the names that the official conformance suite uses. */
export function createEverything(): ToolRegistry {
  const registry = new ToolRegistry({
    name: 'everything',
    version: '1.0.0',
    instructions: 'Shows every feature of MCP once.',
  });
  addContentTools(registry);
  addSchemaTools(registry);
  addReportingTools(registry);
  addAskingTools(registry);
  addRoundTools(registry);
  addTaskTools(registry);
  addChangingTools(registry);
  addPrompts(registry);
  addResources(registry);
  return registry;
}
