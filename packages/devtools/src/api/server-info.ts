import { existsSync } from 'node:fs';
import { forms, yieldToEventLoop } from '@toolfold/analysis/internal';
import type { ListedTool } from '@toolfold/analysis/internal';
import { defaultClients } from 'toolfold';
import type { ServerInfo } from '../page-api.js';
import { offeredBy, problemOfForm, shownProfiles } from './form/forms.js';
import { editorOf } from './editor.js';
import type { Snapshot } from './snapshot.js';
import { isFixed, surfaceOf } from './surface.js';

export function serverInfoOf(snapshot: Snapshot, signal: AbortSignal): Promise<ServerInfo> {
  return snapshot.share('server', signal, async (shared) => {
    const { loaded, source, revision } = snapshot;
    const { registry } = loaded;
    const { tools, toolsets, failed } = await surfaceOf(snapshot, shared);
    const offered = offeredBy(snapshot);
    const shown: ServerInfo['forms'][number][] = [];
    for (const form of forms) {
      const problem = problemOfForm(snapshot, form);
      shown.push(problem === undefined ? { form } : { form, problem });
      await yieldToEventLoop(shared);
    }
    return {
      name: registry.name,
      version: registry.version,
      instructions: registry.instructions,
      target: source.target,
      words: source.words,
      canCall: source.canCall,
      isForwarded: source.isForwarded === true,
      problem: problemOf(snapshot),
      forms: shown,
      ...offered,
      profiles: isFixed(loaded) ? [...new Set(['none' as const, offered.profile])] : shownProfiles,
      clients: clientsOf(snapshot),
      toolsets: [
        ...toolsets.map(({ key, name, description, tools: own }) => ({
          key,
          name,
          description,
          tools: own.length,
        })),
        ...[...failed].map(([key, problem]) => ({ key, tools: 0, problem })),
      ],
      counts: {
        tools: tools.length,
        actions: tools.reduce((sum, { actions }) => sum + Math.max(1, actions.length), 0),
        prompts: registry.listPrompts().length,
        resources: registry.listResources().length,
        templates: registry.listResourceTemplates().length,
      },
      scopes: scopesIn(tools),
      code: await codeOf(snapshot, shown),
      editor: editorOf(process.env),
      ...(existsSync(source.lockfile) ? { lockfile: source.lockfile } : {}),
      revision,
    };
  });
}

function problemOf({ source }: Snapshot): string | undefined {
  const own = source.problem?.();
  const { problem } = source.upstream?.() ?? {};
  if (own !== undefined || problem === undefined) return own;
  return `The tools cannot be shown: ${source.redact?.(problem) ?? problem}`;
}

/** Collects the scopes that the actions require. */
export function scopesIn(tools: readonly ListedTool[]): readonly string[] {
  const scopes = tools.flatMap((listed) => [
    ...listed.scopes,
    ...listed.actions.flatMap((action) => action.scopes),
  ]);
  return [...new Set(scopes)].toSorted();
}

function clientsOf({ loaded: { exposure, view } }: Snapshot): ServerInfo['clients'] {
  const rows = exposure?.offers.clients ?? [...(view?.clients ?? []), ...defaultClients];
  return rows.map(({ name, since, profile, maxTools }) => ({ name, version: since, profile, maxTools }));
}

async function codeOf({ served }: Snapshot, shown: ServerInfo['forms']): Promise<ServerInfo['code']> {
  const problem = shown.find(({ form }) => form === 'code')?.problem;
  if (problem !== undefined) return { problem };
  const { allow = 'read', sandbox } = served.view?.code ?? {};
  if (sandbox) return { allow };
  try {
    import.meta.resolve('quickjs-wasi');
    return { allow };
  } catch {
    return {
      problem: 'Code runs in the package quickjs-wasi, which is not installed. Run npm install quickjs-wasi.',
    };
  }
}
