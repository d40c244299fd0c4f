import { CommandError } from '@toolfold/analysis/internal';
import { ToolRegistry } from 'toolfold';
import { readSettings, toDefinitions } from '@toolfold/gateway/internal';
import { toLine } from 'toolfold/internal';
import { compilableTools } from '../proxy/proxied-server.js';
import { assertChoice, selectTools } from '../target/find-tool.js';
import { readSavedList } from '../target/saved-list.js';
import { nameOfFile } from '../target/specification.js';
import { ListedUpstream } from './listed-upstream.js';
import type { ShownServer, SourceOptions } from './shown-server.js';

/** Converts a saved `tools/list` to a registry. Its tools can be shown in every form but not called. */
export async function loadSavedList(file: string, options: SourceOptions): Promise<ShownServer> {
  const { terminal, toolsets, form = 'flat', profile = 'none', code } = options;
  const tools = (await readSavedList(file)).tools.map(({ tool }) => tool);
  assertChoice(tools, { toolsets });
  const upstream = new ListedUpstream('saved');
  const skip = (name: string, reason: string): void => {
    terminal.notify(`left out "${toLine(name)}": ${toLine(reason)}`);
    upstream.leaveOut(name, reason);
  };
  const settings = readSettings({ command: file }, { name: file, onSkipped: skip });
  const registry = new ToolRegistry({ name: nameOfFile(file) });
  const listed = toDefinitions(
    selectTools(tools, { toolsets }),
    settings,
    { tasks: false, isModern: true, completions: false },
    () => {
      throw new CommandError(`${file} is a saved list of tools, which cannot be called.`);
    },
  );
  const definitions = compilableTools(listed, skip);
  registry.register(...definitions);
  upstream.offer(definitions);
  return {
    loaded: { registry, found: file, view: { form, profile, code } },
    canCall: false,
    upstream: upstream.read,
  };
}
