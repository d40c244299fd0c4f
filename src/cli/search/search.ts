import type { Command, CommandGroup } from '../terminal/command.js';
import { draft, draftHelp, draftSpecs } from './draft/draft.js';
import { evalCommand, evalHelp, evalSpecs } from './eval/eval.js';
import { explain, explainHelp, explainSpecs } from './explain/explain.js';
import { learned, learnedHelp, learnedSpecs } from './learned/learned.js';

const commands: Readonly<Record<string, Command>> = {
  draft: {
    summary: 'Write the keywords of tools to a file, with any model',
    help: draftHelp,
    specs: draftSpecs,
    run: draft,
  },
  eval: {
    summary: 'Measure what the search finds for questions, and explain each miss',
    help: evalHelp,
    specs: evalSpecs,
    run: evalCommand,
  },
  explain: {
    summary: 'Show why the search ranks each tool where it does',
    help: explainHelp,
    specs: explainSpecs,
    run: explain,
  },
  learned: {
    summary: 'Show what the search has learned in Redis, or erase it',
    help: learnedHelp,
    specs: learnedSpecs,
    run: learned,
  },
};

const width = Math.max(...Object.keys(commands).map((name) => name.length));

/** The commands that work on the search of a server. */
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
