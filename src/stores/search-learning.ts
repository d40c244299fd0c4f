import type { Caller } from '../callers/caller.js';

/** The sender of a search or of a call, as `SearchLearning` distinguishes senders. */
export interface Learner {
  /** The tenant of the caller: its own key if it belongs to none, and `undefined` if it is anonymous as well. */
  readonly tenant: string | undefined;
  /** The verified caller, or `nobody` for all anonymous callers together. */
  readonly caller: string;
  /** Identifies the searches and calls that belong together: those of one session or, without a session, of one caller. */
  readonly conversation: string;
}

/** A question of a search and its answer. */
export interface AnsweredSearch {
  /** The stems of the words of the question. */
  readonly words: readonly string[];
  /** The addresses that the answer listed, best match first. */
  readonly shown: readonly string[];
}

/**
 * Learns from calls which words people use for which tools. Implementations must not store words or callers in clear text.
 * Any method may reject; a rejection never fails a search or a call.
 */
export interface SearchLearning {
  /**
   * How strongly earlier calls connect the words of a question with tools, from 0 to 1 by address. Tools that `isVisible` rejects
   * have no influence on the result.
   */
  recall(
    learner: Learner,
    words: readonly string[],
    isVisible: (address: string) => boolean,
  ): Promise<ReadonlyMap<string, number>>;
  /** Remembers the questions of one search for the calls that follow it. */
  noteSearch(learner: Learner, searches: readonly AnsweredSearch[]): Promise<void>;
  /** Links the words of the recent searches with a tool that was called successfully, if one of them listed it. */
  noteCall(learner: Learner, address: string): Promise<void>;
  /** Counts the links of all tenants, or of a selection. */
  inspect(selection?: LearnedSelection): Promise<LearnedSummary>;
  /** Erases all links, or a selection. Resolves to the number of erased links. */
  erase(selection?: LearnedSelection): Promise<number>;
}

/** Selects links by tenant and by tool. */
export interface LearnedSelection {
  /**
   * The tenant: its name as `tenant` of the registry returns it, its id as `inspect` returns it, or a caller that belongs to it.
   * Default: all tenants.
   */
  readonly tenant?: string | Caller | undefined;
  /** The address of a tool. Default: all tools. */
  readonly address?: string | undefined;
}

/** The number of links by tenant and by tool. Words are stored as digests, so none is listed. */
export interface LearnedSummary {
  /** Number of links between a word and a tool. */
  readonly links: number;
  /** The tenants that have links. */
  readonly tenants: readonly LearnedTenant[];
  /** The tools that have links, strongest first. */
  readonly tools: readonly LearnedTool[];
}

/** The links of one tenant. */
export interface LearnedTenant {
  /** The id of the tenant: `shared`, a digest of its name, or `own.` and a digest for a caller that belongs to no tenant. */
  readonly tenant: string;
  /** Number of words with links. */
  readonly words: number;
  /** Number of links. */
  readonly links: number;
}

/** The links of one tool. */
export interface LearnedTool {
  /** The address of the tool, which may no longer exist. */
  readonly address: string;
  /** Number of words that are linked with the tool. */
  readonly links: number;
  /** The strength of its strongest link, from 0 to 1. */
  readonly strength: number;
}

/** Limits of what a search learns. */
export interface SearchLearningOptions {
  /** Whether each tenant has its own links, or all callers share them. Default: `tenant`. */
  readonly scope?: 'tenant' | 'shared' | undefined;
  /** Milliseconds after which a call counts half. Default: 30 days. */
  readonly halfLifeMs?: number | undefined;
  /** Number of callers whose calls make a link fully strong. A caller without a tenant needs no other. Default: 3. */
  readonly minCallers?: number | undefined;
  /** Maximum number of words of each tenant. The word that was used least recently is dropped. Default: 1,000. */
  readonly maxWords?: number | undefined;
  /** Maximum number of tenants. The tenant that learned least recently is dropped. Default: 200. */
  readonly maxTenants?: number | undefined;
}
