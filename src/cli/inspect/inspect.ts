import { exitCodes, UsageError } from '../terminal/exit-codes.js';
import { withoutQuery } from '../target/strip-query.js';
import { findTool } from '../target/find-tool.js';
import { createDetail, createReport } from './inspect-report.js';
import { openTarget } from '../target/open-target.js';
import { print, printJson } from '../terminal/output.js';
import { describeOptions, readArguments, readList } from '../terminal/read-arguments.js';
import type { OptionSpecs } from '../terminal/read-arguments.js';
import { readTarget } from '../target/read-target.js';
import type { Target } from '../target/read-target.js';
import { readForm, readTargetOptions, targetSpecs } from '../target/target-options.js';
import { withSignals } from '../terminal/with-signals.js';
import { writeDetail, writeReport } from './write-report.js';

export const inspectSpecs: OptionSpecs = {
  tool: { value: 'address', help: 'Everything about one tool or action, with its schemas' },
  form: { value: 'grouped|flat|search', help: 'With a file: the form that is shown. Default: grouped' },
  toolsets: {
    value: 'a,b',
    isRepeatable: true,
    help: 'Only these toolsets of a file; of a server, tools whose names begin with one of these words',
  },
  readonly: { help: 'Only what says that it changes nothing' },
  ...targetSpecs,
  json: { help: 'Print everything as JSON, or what went wrong' },
  help: { help: 'Show this' },
};

export const inspectHelp = `Shows the tools, actions, toolsets, prompts and resources of a server, and what they cost.

Usage:
  toolfold inspect [options] <file>
  toolfold inspect [options] <https://address>
  toolfold inspect [options] -- command [arguments]

A file exports a registry (as default or by any name), or builders; beside the registry it may export an Exposure,
Toolsets or a ToolsetConfig. It is loaded, and nothing is served. TypeScript needs tsx, or Node 22.18.

Options:
${describeOptions(inspectSpecs)}

Examples:
  toolfold inspect server.ts
  toolfold inspect server.ts --tool platform/users.create
  toolfold inspect https://example.com/mcp --header "Authorization: Bearer $TOKEN" --json
  toolfold inspect -- npx -y @modelcontextprotocol/server-everything

It ends with 0 when it could look, 1 when it could not, 2 when the command line is wrong, 4 when the server refused a
request or its answer is no MCP, and 130 on Ctrl-C.
`;

/** Looks at a server, and prints what it found. */
export async function inspect(argv: readonly string[]): Promise<number> {
  const read = readArguments(argv, inspectSpecs);
  const { options } = read;
  if (options.has('help')) {
    print(inspectHelp);
    return exitCodes.done;
  }
  const { target, others } = readTarget(read);
  if (others.length > 0) throw new UsageError(`"${others[0]}" is too much. See toolfold inspect --help.`);
  const form = readForm(options.get('form')?.[0]);
  const settings = readTargetOptions(read);
  const address = options.get('tool')?.[0];
  return withSignals(async (signal) => {
    const opened = await openTarget(target, {
      ...settings,
      form,
      toolsets: readList(options.get('toolsets')),
      readOnly: options.has('readonly'),
      signal,
      // It is told where something goes wrong.
      onStderr: () => {},
    });
    try {
      const found = address === undefined ? undefined : findTool(opened.tools, address);
      const shown = found
        ? createDetail(found.listed, found.action)
        : await createReport(nameOf(target), opened);
      if (options.has('json')) printJson(shown);
      else print('source' in shown ? writeReport(shown) : writeDetail(shown));
      return exitCodes.done;
    } finally {
      await opened.close().catch(() => undefined);
    }
  });
}

function nameOf(target: Target): string {
  if ('file' in target) return target.file;
  return 'url' in target ? withoutQuery(target.url) : [target.command, ...target.args].join(' ');
}
