import type { AnyToolDefinition } from 'toolfold/internal';
import { ErrUnknownTool } from 'toolfold/errors';
import type { SearchEntry, SearchTexts } from '@toolfold/search/internal';
import {
  assertSearchSettings,
  createCallTools,
  readSearched,
  runInSlices,
  searching,
  searchTools,
  summarize,
} from '@toolfold/search/internal';
import type { SearchSettings } from '@toolfold/search';
import type { Form, FormServer, FormView } from 'toolfold/web';
import { declareActions, signatureOf } from '../declarations/declare-actions.js';
import { writeCutSignature } from '../declarations/signature-line.js';
import { shareSandbox } from '../sandbox/shared-sandbox.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { assertCodeSettings } from './code-settings.js';
import type { CodeSettings } from './code-settings.js';
import type { CodeForm } from './code-tools.js';
import { createCodeRunner } from './run-code.js';
import { readPaths } from './tool-paths.js';
import type { ToolPaths } from './tool-paths.js';

declare module 'toolfold/web' {
  interface FormSettings {
    readonly code: CodeSettings;
  }
}

/**
 * The form with a fixed list: the tools that find and describe the tools of a view, and the tool that runs code which calls them. The
 * other tools of the search form can be called, and are listed if they are pinned. `search` says how tools are found.
 */
export function codeForm(settings: CodeSettings = {}, search: SearchSettings = {}): Form {
  assertCodeSettings(settings);
  assertSearchSettings(search);
  const sandboxOf = createSandboxes(settings.sandbox);
  return Object.freeze({
    name: 'code',
    createTools: (shown: FormView, server: FormServer) => {
      const parts = readSearched(shown, server, search);
      const { registry, inner, entries } = parts;
      const form = { registry, inner, paths: readPaths(entries), settings, sandbox: sandboxOf(server) };
      const find = searchTools(entries, parts.find, codeSearchTexts(form.paths));
      return searching(parts, {
        listed: [find, describeFunctions(form), runCodeTool(form)],
        unlisted: createCallTools(parts),
      });
    },
    // Loads the sandbox early, so that the first run of code need not wait for it.
    prepare: async (server: FormServer) => sandboxOf(server).prepare?.(),
  });
}

/** Gives each server a share of the process's sandbox, unless the author passes a sandbox. Authors close their own. */
function createSandboxes(own: Sandbox | undefined): (server: FormServer) => Sandbox {
  const shared = new WeakMap<FormServer, Sandbox>();
  return (server) => {
    const known = own ?? shared.get(server);
    if (known) return known;
    const sandbox = shareSandbox();
    shared.set(server, sandbox);
    const { closing, onError } = server;
    const close = (): void => void sandbox.close().catch(onError);
    if (closing.aborted) close();
    else closing.addEventListener('abort', close, { once: true });
    return sandbox;
  };
}

const MAX_DESCRIBED = 20;
/** An answer lists more toolsets than in the search form, because no tool of this form returns the others. */
const MAX_TOOLSETS = 100;

function codeSearchTexts(paths: ToolPaths): SearchTexts {
  return {
    description:
      'Finds functions for the code of run_code. Split the task into steps and pass one query per step. Results have a signature and ' +
      'a kind. describe_tools returns what "…" leaves out.',
    style: {
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
    },
  };
}

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
