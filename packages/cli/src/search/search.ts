import type { Command, CommandGroup } from '../terminal/command.js';
import { draftCommand } from './draft/draft.js';
import { evalCommand } from './eval/eval.js';
import { explainCommand } from './explain/explain.js';

const commands: Readonly<Record<string, Command>> = {
  draft: draftCommand,
  eval: evalCommand,
  explain: explainCommand,
};

const width = Math.max(...Object.keys(commands).map((name) => name.length));

export const search: CommandGroup = {
  summary: 'Write keywords for the search, and measure what it finds',
  help: `Work on the search of a server.

Usage:
  toolfold search <command> [options]

Commands:
${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
  .join('\n')}

Options:
  --help  Show this help; after a command, the help of that command
`,
  commands,
};
