import type { AnyToolDefinition } from '../../define/tool-definition.js';
import { ErrUnknownTool } from '../../errors.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import type { AnswerStyle } from '../../search/form/answer-search.js';
import { summarize } from '../../search/form/entries.js';
import type { SearchEntry } from '../../search/form/entries.js';
import { noteLater, searchTools } from '../../search/form/meta-tools.js';
import type { SearchTexts } from '../../search/form/meta-tools.js';
import { compileCallTools, createSearchView } from '../../search/form/search-form.js';
import type { SearchFormOptions, SearchParts } from '../../search/form/search-form.js';
import { runInSlices } from '../../search/index/slices.js';
import type { View } from '../../views/view.js';
import { declareActions, signatureOf } from '../declarations/declare-actions.js';
import { writeCutSignature } from '../declarations/signature-line.js';
import type { CodeSettings } from './code-settings.js';
import type { CodeForm } from './code-tools.js';
import { createCodeRunner } from './run-code.js';
import { readPaths } from './tool-paths.js';
import type { ToolPaths } from './tool-paths.js';

export interface CodeFormOptions extends SearchFormOptions {
  /** The rules, limits and sandbox of code. Default: the defaults of its fields. */
  readonly code?: CodeSettings | undefined;
}

/**
 * Creates a view with a fixed list: the tools that find and describe the tools of another view, and the tool that runs code which
 * calls them. The other tools of the search form can be called, and are listed if they are pinned.
 *
 * @internal
 */
export function createCodeView(registry: AnyRegistry, inner: View, options: CodeFormOptions = {}): View {
  const { code = {}, ...searchOptions } = options;
  return createSearchView(registry, inner, searchOptions, {
    place: 'The code form',
    createTools: (parts) => {
      const form = toForm(parts, code);
      const search = searchTools(parts.entries, parts.find, parts.learning, codeSearchTexts(form.paths));
      return {
        listed: [search, describeFunctions(form), runCodeTool(form)].map(parts.compile),
        unlisted: compileCallTools(parts),
      };
    },
  });
}

function toForm({ registry, inner, entries, learning }: SearchParts, settings: CodeSettings): CodeForm {
  return {
    registry,
    inner,
    entries,
    paths: readPaths(entries),
    settings,
    learnFrom: learning && ((entry) => noteLater(learning, entry.compiled.address)),
  };
}

const MAX_DESCRIBED = 20;
/** Maximum number of toolsets in an answer. The form lists no tool that returns the others. */
const MAX_TOOLSETS = 100;

/** The texts of `search_tools` in the code form. */
function codeSearchTexts(paths: ToolPaths): SearchTexts {
  return {
    description:
      'Finds functions for the code of run_code. Split the task into steps and pass one query per step. Results have a signature and ' +
      'a kind. describe_tools returns what "…" leaves out.',
    style: styleOf(paths),
  };
}

function styleOf(paths: ToolPaths): AnswerStyle {
  return {
    toRow: (entry, isSigned) => {
      const path = paths.pathOf(entry.compiled.address);
      return {
        signature: isSigned === true ? signatureOf(entry, path) : writeCutSignature(path),
        summary: summarize(entry),
        kind: entry.kind,
      };
    },
    maxToolsets: MAX_TOOLSETS,
    allToolsets: '',
  };
}

/** The tool that returns TypeScript declarations. */
function describeFunctions({ paths, settings }: CodeForm): AnyToolDefinition {
  return {
    name: 'describe_tools',
    title: 'Describe functions',
    description:
      'Returns TypeScript declarations of functions: all arguments with descriptions, defaults and limits, and the types of results.',
    readOnly: true,
    openWorld: false,
    inputSchema: {
      type: 'object',
      properties: {
        tools: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          maxItems: MAX_DESCRIBED,
          description: 'Names from search_tools, without their arguments',
        },
      },
      required: ['tools'],
      additionalProperties: false,
    },
    handler: ({ input }: { input: { readonly tools: readonly string[] } }) => {
      const found = new Set<SearchEntry>();
      const problems = new Set<ErrUnknownTool>();
      for (const name of new Set(input.tools)) {
        const entry = findFunction(name, paths);
        if (entry instanceof ErrUnknownTool) problems.add(entry);
        else found.add(entry);
      }
      const [first] = problems;
      if (first && found.size === 0) throw first;
      return runInSlices(declareActions([...found], { problems: [...problems], paths, settings }));
    },
  };
}

/** Finds a function by the name in its signature. */
function findFunction(name: string, paths: ToolPaths): SearchEntry | ErrUnknownTool {
  const given = paths.find(name);
  if (!(given instanceof ErrUnknownTool)) return given;
  const call = /^\s*(?:await\s+)?(?:tools\.)?([^\s(]*)/.exec(name);
  return paths.find(call?.[1] ?? name);
}

const effects = {
  read: 'Code may call only functions of kind "read".',
  write: 'Code may call all functions; a person confirms each call that may destroy data.',
};

/** The tool that runs code. */
function runCodeTool(form: CodeForm): AnyToolDefinition {
  const { allow = 'read' } = form.settings;
  return {
    name: 'run_code',
    title: 'Run code',
    description:
      'Runs TypeScript that calls the functions which search_tools finds, and returns only its result. Example: ' +
      'const { orders } = await tools.shop.list_orders({ status: "open" }); return orders.length. ' +
      'Await calls, run independent ones with Promise.all, catch errors (code, message, suggestions), and return only what is needed. ' +
      `There is no network, file or timer. ${effects[allow]}`,
    ...(allow === 'read' ? { readOnly: true } : { readOnly: false, destructive: true }),
    inputSchema: {
      type: 'object',
      properties: {
        code: { type: 'string', description: 'The body of an async function' },
        dryRun: { type: 'boolean', description: 'Lists the calls, and performs only those that read' },
      },
      required: ['code'],
      additionalProperties: false,
    },
    ...createCodeRunner(form),
  };
}
