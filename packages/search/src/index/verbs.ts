import { inSteps, type Steps } from './slices.js';
import { stemWord } from './stem.js';
import { readTokens, splitToken } from './words.js';

/** Groups of verbs for similar operations. A verb can be in several groups. */
const groups = [
  'get read show view see display fetch retrieve look tell give inspect describe check open print know watch monitor ' +
    'summarize summarise explain compare count calculate return preview analyze analyse measure download export list ' +
    'browse enumerate',
  'search find lookup query locate discover seek look',
  'create add make insert generate register open write put build compose draft record enter import upload set ' +
    'schedule book plan save store start invite post new',
  'update edit change modify set rename replace adjust correct fix alter revise amend mark assign move patch append ' +
    'configure turn switch enable disable label tag merge convert transfer reset restore reopen resolve put',
  'send post publish share reply respond submit notify forward email comment announce tell ask',
  'run execute start trigger launch perform call invoke rerun retry restart deploy click press type fill navigate go ' +
    'visit take capture',
  'delete remove erase drop clear trash destroy purge wipe discard cancel close archive undo revoke stop abort halt ' +
    'end terminate kill quit',
];

/** The groups of each verb as a bit mask. */
const groupsOf = new Map<string, number>();
groups.forEach((verbs, at) => {
  for (const verb of verbs.split(' ')) {
    const stem = stemWord(verb);
    groupsOf.set(stem, (groupsOf.get(stem) ?? 0) | (1 << at));
  }
});

export const isVerb = (stem: string): boolean => groupsOf.has(stem);

/** The groups whose operations read, change or remove something. */
const READING = 0b0000011;
const CHANGING = 0b0111100;
const REMOVING = 0b1000000;

/** Classifies what a call may do, so that the less risky of equally good tools comes first. */
export type Risk = 'read' | 'write' | 'destructive';

const risks: readonly Risk[] = ['read', 'write', 'destructive'];

export interface ToolVerbs {
  /** The groups of each tool as bits; 0 if it has no known verb. */
  readonly groups: Uint8Array;
  /** The groups with the effects that the tool may have; 0 if they are unknown. */
  readonly effects: Uint8Array;
  /** From 0 for a tool that only reads to 2 for a destructive one. */
  readonly risks: Uint8Array;
  /** The share of tools whose name has a verb. If it is low, tools are named after products, and their verbs say little. */
  readonly share: number;
}

interface ToolTexts {
  readonly name: string;
  readonly description?: string | undefined;
  readonly risk?: Risk | undefined;
}

/** Reads the verb of each tool from its name, such as `listIssues`, and from the first word of its description. */
export function* readToolVerbs(tools: readonly ToolTexts[]): Steps<ToolVerbs> {
  const verbs = {
    groups: new Uint8Array(tools.length),
    effects: new Uint8Array(tools.length),
    risks: new Uint8Array(tools.length),
  };
  let named = 0;
  const readVerb = createVerbReader();
  yield* inSteps(tools, ({ name, description = '', risk }, at) => {
    const inName = readNameVerb(name, readVerb);
    if (inName !== 0) named++;
    const found = inName | readFirstVerb(description, readVerb);
    verbs.groups[at] = found;
    if (risk === undefined) verbs.effects[at] = effectsOf(found);
    else verbs.effects[at] = risk === 'read' ? READING : CHANGING | REMOVING;
    // Tools without annotations may change something.
    verbs.risks[at] = risks.indexOf(risk ?? 'write');
  });
  return { ...verbs, share: named / Math.max(1, tools.length) };
}

type ReadVerb = (word: string) => number;

/** Reads the groups of lower-case words. Each word is stemmed once, because tools share most of their verbs. */
function createVerbReader(): ReadVerb {
  const known = new Map<string, number>();
  return (word) => {
    let found = known.get(word);
    if (found === undefined) known.set(word, (found = groupsOf.get(stemWord(word)) ?? 0));
    return found;
  };
}

function readNameVerb(name: string, readVerb: ReadVerb): number {
  for (const token of readTokens(name)) {
    for (const word of splitToken(token, true)) {
      const found = readVerb(word);
      if (found !== 0) return found;
    }
  }
  return 0;
}

const LONGEST_VERB = 32;

function readFirstVerb(description: string, readVerb: ReadVerb): number {
  const [first = ''] = readTokens(description.slice(0, LONGEST_VERB));
  return readVerb(first.toLowerCase());
}

function effectsOf(found: number): number {
  let effects = 0;
  for (const effect of [READING, CHANGING, REMOVING]) if ((found & effect) !== 0) effects |= effect;
  return effects;
}

export interface VerbParameters {
  /** Added if the query asks for an operation of the same group. */
  readonly same: number;
  /** Subtracted if the tool has other effects than the query asks for. */
  readonly opposed: number;
  /** Subtracted for each step by which the tool is riskier than the query asks for, to decide between nearly equal scores. */
  readonly risk: number;
}

/** Returns by how many steps a tool is riskier than the operations that a query asks for. */
export function excessRisk({ risks: risksOfTools }: ToolVerbs, tool: number, asked: number): number {
  const askedRisk = (asked & REMOVING) !== 0 ? 2 : (asked & CHANGING) !== 0 ? 1 : 0;
  return Math.max(0, (risksOfTools[tool] ?? 0) - askedRisk);
}

export const isDestructive = (verbs: ToolVerbs, tool: number): boolean => verbs.risks[tool] === 2;

/** Whether the verb of a tool is one of the operations that a query asks for. Queries without a known verb accept all tools. */
export function doesOneOf({ groups: groupsOfTools }: ToolVerbs, tool: number, asked: number): boolean {
  return asked === 0 || ((groupsOfTools[tool] ?? 0) & asked) !== 0;
}

export function addVerbs(
  verbs: ToolVerbs,
  asked: number,
  scores: Float32Array,
  { same, opposed, risk }: VerbParameters,
): void {
  const { groups: groupsOfTools, effects, share } = verbs;
  const askedEffects = effectsOf(asked);
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at] ?? 0;
    if (score === 0) continue;
    let change = -risk * excessRisk(verbs, at, asked);
    if (((groupsOfTools[at] ?? 0) & asked) !== 0) change += share * same;
    const effect = effects[at] ?? 0;
    if (effect !== 0 && askedEffects !== 0 && (effect & askedEffects) === 0) change -= share * opposed;
    // At least half of the score remains, so that a weak match stays a match.
    scores[at] = Math.max(score / 2, score + change);
  }
}

/** Words that precede the verb of a request, such as "please" and "can you". */
const openings = new Set(
  'please kindly can could would will you i we want need like help me let us lets just now then and also the a'.split(
    ' ',
  ),
);
const questionWords = new Set(
  'what which who whose whom when where why how is are was were do does did has have had am'.split(' '),
);
/** A verb often follows these words: "I would like to delete", "find it and remove it". */
const beforeVerbs = new Set(['to', 'and', 'then', 'please']);

/** "How do I delete a branch" asks for the same operation as "delete a branch". */
const HOW = /^how (?:do|can|could|should|would|might) (?:i|we|you|one)$/;

/** Returns the groups of the operations that a query asks for as bits; 0 if it has no known verb. */
export function readOperations(tokens: readonly string[]): number {
  const words = tokens.map((token) => token.toLowerCase());
  const verbAt = (at: number): number => groupsOf.get(stemWord(words[at] ?? '')) ?? 0;
  let at = 0;
  while (at < words.length && openings.has(words[at] ?? '')) at++;
  if (HOW.test(words.slice(at, at + 3).join(' '))) at += 3;
  const isQuestion = questionWords.has(words[at] ?? '');
  let found = isQuestion ? 0 : verbAt(at);
  for (at++; at < words.length; at++) if (beforeVerbs.has(words[at - 1] ?? '')) found |= verbAt(at);
  return found === 0 && isQuestion ? READING : found;
}
