import { stemWord } from '../index/stem.js';
import { isVerb } from '../index/verbs.js';

/**
 * Words that occur in questions about any topic: how people ask, and words of time, amount and opinion. A tool that lacks them can still be
 * the right one.
 */
const general =
  'able actually ago allow already also although always another anybody anyone anything around ask away back bad become ' +
  'begin behind believe best better big bit bring call care case certain chance change check choose come complete ' +
  'consider couple course current day decide definitely describe detail different difficult easily easy either else end ' +
  'enough entire especially even ever every everybody everyone everything exact example except expect explain fact far ' +
  'fast figure fill find fine first follow form found full general get give given go good got great guess guide hand ' +
  'handle happen happy hard hear hello help hold hope idea important improve inform instead interested issue item job ' +
  'keep kind know known large last late later latest learn least leave left less let like little live long longer look ' +
  'lot make manage many matter may maybe mean might mind mine minute moment morning move much name near necessary need ' +
  'never new next nice none nothing number often ok okay old one option order otherwise outside overall part particular ' +
  'past pay people perhaps person pick piece place please point possible prefer prepare present pretty probably problem ' +
  'provide put question quick quite random rather ready real really reason receive recent recommend related relevant ' +
  'remember require result right run said say second see seem seen select send set several shall share short show simple ' +
  'simply since single small somebody somehow someone something sometimes somewhere soon sort specific start stay step ' +
  'still stop stuff suggest sure take talk tell thank thing think though thought three time today together tomorrow top ' +
  'total tried true turn two type understand us use user usually various via want watch way week well went whether whole ' +
  'wish within without wonder word work worry write wrong year yes yesterday yet across along';

export const GENERAL = 0.25;
/** Verbs of operations say less about a topic than the nouns beside them. */
const VERB = 0.5;

let stems: ReadonlySet<string> | undefined;

/** Returns how much a word says about the topic of a query, from 0 to 1. */
export function weighTopic(stem: string): number {
  stems ??= new Set(general.split(' ').map(stemWord));
  if (stems.has(stem)) return GENERAL;
  return isVerb(stem) ? VERB : 1;
}
