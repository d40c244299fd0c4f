import type { McpPrompt, McpResource, McpResourceTemplate, Others } from '../../../../src/page-api.js';
import { wellFormed } from '../../ui/well-formed.js';

/** A prompt, a resource or a template in the list. */
export type Entry =
  | { readonly kind: 'prompt'; readonly key: string; readonly prompt: McpPrompt }
  | { readonly kind: 'resource'; readonly key: string; readonly resource: McpResource }
  | { readonly kind: 'template'; readonly key: string; readonly template: McpResourceTemplate };

export const kindNames = { prompt: 'Prompts', resource: 'Resources', template: 'Templates' } as const;

export function entriesOf({ prompts, resources, templates }: Others): readonly Entry[] {
  return [
    ...prompts.map((prompt) => ({ kind: 'prompt' as const, key: prompt.name, prompt })),
    ...resources.map((resource) => ({ kind: 'resource' as const, key: resource.uri, resource })),
    ...templates.map((template) => ({ kind: 'template' as const, key: template.uriTemplate, template })),
  ];
}

export function itemOf(entry: Entry): McpPrompt | McpResource | McpResourceTemplate {
  if (entry.kind === 'prompt') return entry.prompt;
  return entry.kind === 'resource' ? entry.resource : entry.template;
}

/** Finds the entries that contain every word of the query. */
export function matchEntries(entries: readonly Entry[], query: string): readonly Entry[] {
  const words = query.toLowerCase().split(/\s+/);
  return entries.filter((entry) => {
    const { name, title = '', description = '' } = itemOf(entry);
    const text = `${entry.kind} ${entry.key} ${name} ${title} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Returns the route of an entry: `prompt/NAME`, `resource/URI` or `template/TEMPLATE`. */
export function restOf({ kind, key }: Pick<Entry, 'kind' | 'key'>): string {
  return wellFormed(`${kind}/${key}`);
}

/** Returns the entry of a route. The resource may be unlisted, because its URI may come from a link or a template. */
export function entryOf(entries: readonly Entry[], rest: string): Entry | undefined {
  const found = entries.find((entry) => restOf(entry) === rest);
  if (found) return found;
  const [, uri] = /^resource\/(.+)$/s.exec(rest) ?? [];
  return uri === undefined ? undefined : { kind: 'resource', key: uri, resource: { name: uri, uri } };
}
