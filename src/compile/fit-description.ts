import { shortenText } from '../profiles/shorten-text.js';
import { collectGroupTexts, getGroupSummaries, summarize } from './describe-tool.js';
import type { DescribedAction, DescriptionInput, DescriptionLayout, ShownAction } from './describe-tool.js';
import { splitSentences } from './sentences.js';

/** The default length of a grouped tool's description, which OpenAI accepts. */
export const MAX_DESCRIPTION = 1024;
/** The length of the details in the description of the discriminator. No known client limits descriptions of fields. */
const MAX_DETAILS = 16_384;

/** A description that fits its length, and the details that did not fit. */
export interface FittedDescription {
  readonly description: string;
  /** The remaining sentences, one line for each action, for the description of the discriminator; empty if there are none. */
  readonly details: string;
}

/** An item of a description: an action, or the description of a group. */
interface Item {
  readonly label: string;
  readonly action: DescribedAction | undefined;
  readonly sentences: readonly string[];
  shown: number;
  isComplete: boolean;
}

/**
 * Describes a tool within a number of characters. The summary with all names comes first, then the first sentence of every action,
 * then the required fields, then further sentences, as long as all of a kind fit. Sentences that do not fit become details.
 */
export function fitDescription(
  tool: DescriptionInput,
  layout: DescriptionLayout,
  { maxLength, discriminator }: { readonly maxLength: number; readonly discriminator: string },
): FittedDescription {
  const full = layout.write(tool);
  if (full.length <= maxLength) return { description: full, details: '' };
  const { actions, hasGroup } = tool;
  const pointer = `More: see \`${discriminator}\`.`;
  const head = shortenSummary(tool, maxLength - pointer.length - 1);
  const items = [...groupItems(actions), ...actions.map(toItem)];
  const write = (): string => {
    const visible = items.filter(({ shown }) => shown > 0);
    const groups = visible.filter(({ action }) => !action);
    const shown = visible.flatMap(({ action, ...item }): ShownAction[] =>
      action ? [{ action, text: textOf(item), isComplete: item.isComplete }] : [],
    );
    const lines = [
      ...(visible.length > 0 && layout.title !== '' ? [layout.title] : []),
      ...groups.map((item) => `- \`${item.label}\`: ${textOf(item)}`),
      ...(shown.length > 0 ? [layout.writeLines(shown, hasGroup)] : []),
    ];
    return [head.text, ...lines, pointer].join('\n');
  };
  fill(items, maxLength - write().length - layout.title.length - 1);
  // Lines may be longer than the estimate, for example because of quotes in a table.
  for (let text = write(); text.length > maxLength; text = write()) {
    const last = items.findLast(({ shown }) => shown > 0);
    if (!last) break;
    last.shown = 0;
  }
  const details = writeDetails(head.rest, items);
  const description = write();
  return { description: details === '' ? description.slice(0, -pointer.length - 1) : description, details };
}

function toItem(action: DescribedAction): Item {
  const sentences = splitSentences(action.description ?? '');
  return { label: action.key, action, sentences, shown: 0, isComplete: false };
}

function groupItems(actions: readonly DescribedAction[]): Item[] {
  return collectGroupTexts(actions).map(([name, text]) => ({
    label: name,
    action: undefined,
    sentences: splitSentences(text),
    shown: 0,
    isComplete: true,
  }));
}

function textOf({ sentences, shown }: Pick<Item, 'sentences' | 'shown'>): string {
  return sentences.slice(0, shown).join(' ');
}

/** Shows as much of the items as fits, one kind of part after the other. */
function fill(items: readonly Item[], length: number): void {
  let left = length;
  const take = (cost: number, show: () => void): boolean => {
    if (cost > left) return false;
    left -= cost;
    show();
    return true;
  };
  const isFirstShown = items.map((item) => {
    if (!hasFirstPart(item)) return true;
    const warning = item.action?.destructive === true ? WARNING.length + 1 : 0;
    const cost = item.label.length + 8 + (item.sentences[0]?.length ?? 0) + warning;
    return take(cost, () => (item.shown = 1));
  });
  if (isFirstShown.includes(false)) return;
  const isRequiredShown = items.map((item) => {
    const required = item.action?.input.required.join(', ') ?? '';
    if (required === '') return true;
    const label = item.shown > 0 ? 0 : item.label.length + 8;
    return take(label + required.length + 12, () => {
      item.isComplete = true;
      item.shown = Math.max(1, item.shown);
    });
  });
  if (isRequiredShown.includes(false)) return;
  for (
    let round = 1, isAll = true;
    isAll && items.some(({ sentences }) => sentences.length > round);
    round++
  ) {
    for (const item of items) {
      const sentence = item.sentences[round];
      if (sentence !== undefined) isAll = take(sentence.length + 1, () => (item.shown = round + 1)) && isAll;
    }
  }
}

const WARNING = '⚠️ DESTRUCTIVE';

function hasFirstPart({ sentences, action }: Item): boolean {
  return sentences.length > 0 || action?.destructive === true;
}

/**
 * The sentences that the description does not show. The required fields are left out, because the fields of the schema name the
 * actions that require them.
 */
function writeDetails(subject: readonly string[], items: readonly Item[]): string {
  const rest = items.flatMap((item): Item[] => {
    const sentences = item.sentences.slice(item.shown);
    const isWarned = item.shown > 0 || item.action?.destructive !== true;
    if (sentences.length === 0 && isWarned) return [];
    return [{ ...item, sentences: isWarned ? sentences : [...sentences, WARNING], shown: 0 }];
  });
  const about = subject.join(' ');
  const write = (): string =>
    [about, ...rest.filter(({ shown }) => shown > 0).map((item) => `${item.label}: ${textOf(item)}`)]
      .filter((line) => line !== '')
      .join('\n');
  for (const item of rest) item.shown = item.sentences.length;
  const all = write();
  if (all.length <= MAX_DETAILS) return all;
  for (const item of rest) item.shown = 0;
  fill(
    rest.map((item) => Object.assign(item, { action: undefined })),
    MAX_DETAILS - about.length,
  );
  return shortenText(write(), MAX_DETAILS);
}

/** The summary within a length: with fewer sentences of the tool's description, or with fewer names. */
function shortenSummary(tool: DescriptionInput, length: number): { text: string; rest: readonly string[] } {
  const summary = summarize(tool);
  if (summary.length <= length) return { text: summary, rest: [] };
  const sentences = splitSentences(tool.description?.trim() || tool.name);
  for (let count = sentences.length - 1; count > 0; count--) {
    const text = summarize({ ...tool, description: sentences.slice(0, count).join(' ') });
    if (text.length <= length) return { text, rest: sentences.slice(count) };
  }
  const [first = tool.name, ...rest] = sentences;
  const subject = shortenText(first, Math.floor(length / 3));
  const listing = `${/[.!?…]$/.test(subject) ? subject : `${subject}.`} `;
  const lost = subject === first ? rest : sentences;
  return { text: listing + listNames(tool, length - listing.length), rest: lost };
}

/** The names of the groups with the number of their actions, or of the actions, as many as fit. The enum has all of them. */
function listNames({ actions, hasGroup }: DescriptionInput, length: number): string {
  const label = hasGroup ? 'Modules: ' : 'Actions: ';
  const names = hasGroup
    ? getGroupSummaries(actions).map((text) => {
        const [name = '', list = ''] = text.split(' (');
        return `${name} (${list.split(',').length} actions)`;
      })
    : actions.map(({ key }) => key);
  const separator = hasGroup ? ' | ' : ', ';
  if (label.length + names.join(separator).length <= length) return label + names.join(separator);
  const ending = (count: number): string => ` and ${names.length - count} more`;
  let text = label;
  let count = 0;
  for (const name of names) {
    const next = count === 0 ? text + name : text + separator + name;
    if (next.length + ending(count).length > length) break;
    text = next;
    count++;
  }
  return count === 0 ? `${label}${names.length}, see the enum` : text + ending(count);
}
