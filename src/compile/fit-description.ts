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
  isListed: boolean;
  /** The number of whole sentences that are shown. */
  shown: number;
  /** The beginning of the first sentence, which is shown if that sentence has no room. */
  clause: string;
  /** Whether the required fields are shown. */
  isComplete: boolean;
}

/**
 * Describes a tool within a number of characters. The summary with all names comes first, then the first sentence of every action,
 * or its beginning if not all of them fit. Then come the required fields and further sentences, as long as all of a kind fit.
 * Sentences that are not shown as a whole become details.
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
  const groups = collectGroupTexts(actions).map(([name, text]) => toItem(name, text));
  const items = [...groups, ...actions.map((action) => toItem(action.key, action.description, action))];
  const write = (): string => {
    const listed = items.filter(({ isListed }) => isListed);
    const shown = listed.flatMap(({ action, ...item }): ShownAction[] =>
      action ? [{ action, text: textOf(item), isComplete: item.isComplete }] : [],
    );
    const lines = [
      ...(listed.length > 0 && layout.title !== '' ? [layout.title] : []),
      ...groups.filter(({ isListed }) => isListed).map((item) => `- \`${item.label}\`: ${textOf(item)}`),
      ...(shown.length > 0 ? [layout.writeLines(shown, hasGroup)] : []),
    ];
    return [head.text, ...lines, pointer].join('\n');
  };
  const isFitting = (): boolean => write().length <= maxLength;
  const withText = items.filter(hasFirstPart);
  // The texts of groups give way to those of actions.
  if (!listClauses(withText, isFitting)) listClauses(withText.filter(isOfAction), isFitting);
  const title = items.some(({ isListed }) => isListed) ? 0 : layout.title.length + 1;
  const undo = fill(items, maxLength - write().length - title);
  // Lines may be longer than the estimate, for example because of quotes in a table.
  while (!isFitting() && undo.length > 0) undo.pop()?.();
  const details = writeDetails(head.rest, items);
  const description = write();
  return { description: details === '' ? description.slice(0, -pointer.length - 1) : description, details };
}

function toItem(label: string, text = '', action?: DescribedAction): Item {
  const sentences = splitSentences(text);
  return { label, action, sentences, isListed: false, shown: 0, clause: '', isComplete: false };
}

function textOf({ sentences, shown, clause }: Pick<Item, 'sentences' | 'shown' | 'clause'>): string {
  return shown > 0 ? sentences.slice(0, shown).join(' ') : clause;
}

const WARNING = '⚠️ DESTRUCTIVE';

function hasFirstPart({ sentences, action }: Item): boolean {
  return sentences.length > 0 || action?.destructive === true;
}

function isOfAction({ action }: Item): boolean {
  return action !== undefined;
}

/** The shortest beginning of a sentence that says something. */
const MIN_CLAUSE = 24;

/** Lists all items with as much of their first sentences as fits, the same length for each. Lists none if not even that fits. */
function listClauses(items: readonly Item[], isFitting: () => boolean): boolean {
  const list = (length: number): boolean => {
    for (const item of items) {
      item.isListed = true;
      item.clause = cutToClause(item.sentences[0] ?? '', length);
    }
    return isFitting();
  };
  if (!list(MIN_CLAUSE)) {
    for (const item of items) Object.assign(item, { isListed: false, clause: '' });
    return false;
  }
  let [fitting, longest] = [
    MIN_CLAUSE,
    Math.max(0, ...items.map(({ sentences }) => sentences[0]?.length ?? 0)),
  ];
  while (fitting < longest) {
    const middle = Math.ceil((fitting + longest) / 2);
    if (list(middle)) fitting = middle;
    else longest = middle - 1;
  }
  return list(fitting);
}

/** Places at which a sentence can end early: punctuation, and words that begin a further part. */
const PUNCTUATION = /[,;:](?=\s)|\s(?=[(–—-])/g;
const CONNECTIVE =
  /\s(?=(?:and|as|at|because|before|by|for|from|if|in|into|of|on|or|so|such|than|that|to|when|where|which|with|within|without)\s)/g;

/** The beginning of a sentence, up to the end of a clause or at least of a word. */
function cutToClause(sentence: string, length: number): string {
  if (sentence.length <= length) return sentence;
  const head = sentence.slice(0, length);
  for (const [places, share] of [
    [PUNCTUATION, 1 / 2],
    [CONNECTIVE, 1 / 3],
  ] as const) {
    const end = [...head.matchAll(places)].at(-1)?.index ?? 0;
    const clause = head.slice(0, end).trimEnd();
    const isQuoteOpen = clause.split('`').length % 2 === 0;
    if (end >= length * share && !isQuoteOpen) return `${clause}…`;
  }
  return shortenText(sentence, length);
}

/** Shows as much of the items as fits, one kind of part after the other. The result takes back these steps. */
function fill(items: readonly Item[], length: number): (() => void)[] {
  const undo: (() => void)[] = [];
  let left = length;
  const take = (item: Item, cost: number, change: Partial<Item>): boolean => {
    const line = item.isListed ? 0 : item.label.length + 8;
    if (line + cost > left) return false;
    left -= line + cost;
    const before = { ...item };
    Object.assign(item, { isListed: true, ...change });
    undo.push(() => Object.assign(item, before));
    return true;
  };
  const isFirstShown = items.map((item) => {
    if (!hasFirstPart(item)) return true;
    const [first = ''] = item.sentences;
    const warning = !item.isListed && item.action?.destructive === true ? WARNING.length + 1 : 0;
    return take(item, first.length - item.clause.length + warning, {
      shown: Math.min(1, item.sentences.length),
    });
  });
  if (isFirstShown.includes(false)) return undo;
  const isRequiredShown = items.map((item) => {
    const required = item.action?.input.required.join(', ') ?? '';
    return required === '' || take(item, required.length + 12, { isComplete: true });
  });
  if (isRequiredShown.includes(false)) return undo;
  const rounds = Math.max(0, ...items.map(({ sentences }) => sentences.length));
  for (let round = 1, isAll = true; isAll && round < rounds; round++) {
    for (const item of items) {
      const sentence = item.sentences[round];
      if (sentence !== undefined) isAll = take(item, sentence.length + 1, { shown: round + 1 }) && isAll;
    }
  }
  return undo;
}

/**
 * The sentences that the description does not show. The required fields are left out, because the fields of the schema name the
 * actions that require them.
 */
function writeDetails(subject: readonly string[], items: readonly Item[]): string {
  const rest = items.flatMap(({ label, action, sentences, shown, isListed }): Item[] => {
    const isWarned = isListed || action?.destructive !== true;
    const hidden = [...sentences.slice(shown), ...(isWarned ? [] : [WARNING])];
    return hidden.length > 0 ? [{ ...toItem(label), sentences: hidden, shown: hidden.length }] : [];
  });
  const about = subject.join(' ');
  const write = (): string =>
    [about, ...rest.filter(({ shown }) => shown > 0).map((item) => `${item.label}: ${textOf(item)}`)]
      .filter((line) => line !== '')
      .join('\n');
  const all = write();
  if (all.length <= MAX_DETAILS) return all;
  for (const item of rest) item.shown = 0;
  fill(rest, MAX_DETAILS - about.length);
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
