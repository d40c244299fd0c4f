import type { ToolRegistry } from 'toolfold';
import { watchedUri } from '../resources.js';

/** Tools that add a tool, prompt or resource, or report a changed resource, so that subscribed clients are notified. */
export function addChangingTools(registry: ToolRegistry): void {
  let added = 0;
  registry.register(
    {
      name: 'test_trigger_tool_change',
      description: 'Adds a tool',
      inputSchema: {},
      handler: () => {
        const name = `test_added_tool_${++added}`;
        registry.register({ name, description: 'Was added', inputSchema: {}, handler: () => name });
        return name;
      },
    },
    {
      name: 'test_trigger_prompt_change',
      description: 'Adds a prompt',
      inputSchema: {},
      handler: () => {
        const name = `test_added_prompt_${++added}`;
        registry.registerPrompt({ name, description: 'Was added', handler: () => name });
        return name;
      },
    },
    {
      name: 'test_trigger_resource_change',
      description: 'Adds a resource',
      inputSchema: {},
      handler: () => {
        const uri = `test://added/${++added}`;
        registry.registerResource({ name: uri, uri, description: 'Was added', handler: () => uri });
        return uri;
      },
    },
    {
      name: 'test_trigger_resource_update',
      description: 'Says that the watched resource has changed',
      inputSchema: {},
      handler: () => {
        registry.notifyResourceUpdated(watchedUri);
        return watchedUri;
      },
    },
  );
}
