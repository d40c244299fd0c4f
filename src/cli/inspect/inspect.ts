import { findTool } from '../target/find-tool.js';
import { openTarget } from '../target/open-target.js';
import {
  describeTarget,
  readForm,
  readTarget,
  readTargetOptions,
  targetSpecs,
} from '../target/read-target.js';
import { exitCodes, UsageError, withSignals } from '../terminal/terminal.js';
import { describeOptions, readList } from '../terminal/read-arguments.js';
import type { OptionSpecs, ReadArguments } from '../terminal/read-arguments.js';
import type { Terminal } from '../terminal/terminal.js';
import { createDetail, createReport } from './report.js';
import { writeDetail, writeReport } from './write-report.js';

export const inspectSpecs: OptionSpecs = {
  tool: { value: 'address', help: 'Show one tool or action in full, with its schemas' },
  form: { value: 'grouped|flat|search', help: 'With a file: the form to show. Default: grouped' },
  toolsets: {
    value: 'a,b',
    isRepeatable: true,
    help: 'Only these toolsets of a file; for a server, only tools whose names start with one of these words',
  },
  readonly: { help: 'Only tools and actions that are marked read-only' },
  ...targetSpecs,
  json: { help: 'Print the report, or the error, as JSON' },
  help: { help: 'Show this help' },
};

export const inspectHelp = `Show the tools, actions, toolsets, prompts and resources of a server, and their cost in tokens.

Usage:
  toolfold inspect [options] <file>
  toolfold inspect [options] <url>
  toolfold inspect [options] -- <command> [arguments]

The file exports a registry (as default or under any name), or builders. Beside the registry it may export an Exposure,
Toolsets or a ToolsetConfig. The file is loaded, but nothing is served. TypeScript files need tsx, or Node 22.18.

Options:
${describeOptions(inspectSpecs)}

Examples:
  toolfold inspect server.ts
  toolfold inspect server.ts --tool platform/users.create
  toolfold inspect https://example.com/mcp --header "Authorization: Bearer $TOKEN" --json
  toolfold inspect -- npx -y @modelcontextprotocol/server-everything

Exit codes:
  0    the report is complete
  1    the server could not be inspected
  2    the command line is invalid
  4    the server rejected a request, or its answer is not valid MCP
  130  Ctrl-C
`;

/** Inspects a server, and prints a report. */
export async function inspect(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options } = read;
  const { target, others } = readTarget(read);
  if (others.length > 0)
    throw new UsageError(`Unexpected argument "${others[0]}". See toolfold inspect --help.`);
  const form = readForm(options.get('form')?.[0]);
  const settings = readTargetOptions(read);
  const address = options.get('tool')?.[0];
  return withSignals(terminal.host, async (signal) => {
    const opened = await openTarget(target, {
      ...settings,
      form,
      toolsets: readList(options.get('toolsets')),
      readOnly: options.has('readonly'),
      terminal,
      signal,
      // Error messages repeat the end of the standard error.
      onStderr: () => {},
    });
    try {
      const found = address === undefined ? undefined : findTool(opened.tools, address);
      const shown = found
        ? createDetail(found.listed, found.action)
        : await createReport(describeTarget(target), opened);
      if (options.has('json')) terminal.printJson(shown);
      else terminal.print('source' in shown ? writeReport(shown) : writeDetail(shown));
      return exitCodes.done;
    } finally {
      await opened.close().catch(() => undefined);
    }
  });
}
