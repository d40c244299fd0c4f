import type { EndedCall } from 'toolfold/internal';
import type { LiveStatistics } from '../page-events.js';
import { clip } from '@toolfold/schema/internal';
import { RecentMap } from './recent-map.js';

type Question = LiveStatistics['questions'][number];
type AskedQuestion = { -readonly [Field in keyof Question]: Question[Field] };
type Hit = Question['hits'][number];

const MAX_QUESTIONS = 100;
/** Limits the questions of one call. The search form allows fewer, but a tool of another server may have the same name. */
const MAX_ASKED = 20;
const MAX_QUERY = 300;
const MAX_HITS = 10;
const MAX_NAME = 200;

/** Remembers the queries of models to the search form, with the tools that they found. */
export class AskedQuestions {
  readonly #questions = new RecentMap<string, AskedQuestion>(MAX_QUESTIONS);

  /** Records the queries of a `search_tools` call. `hide` removes credentials from texts. */
  add({ request, result, at }: EndedCall, hide: (text: string) => string): void {
    const { query, queries } = Object(request.arguments) as { query?: unknown; queries?: unknown };
    const asked = Array.isArray(queries) && queries.length > 0 ? (queries as readonly unknown[]) : [query];
    const rows = rowsOf(result.structuredContent);
    if (!rows) return;
    asked.slice(0, MAX_ASKED).forEach((text, index) => {
      if (typeof text !== 'string' || text.trim() === '') return;
      const shown = clip(hide(text.trim()), MAX_QUERY);
      const own = asked.length > 1 ? rows.filter((row) => isAnswerTo(row, index + 1)) : rows;
      const question = this.#questions.use(shown, () => ({
        query: shown,
        count: 0,
        last: at,
        hits: [],
        isMiss: true,
      }));
      question.count++;
      question.last = at;
      question.hits = own.slice(0, MAX_HITS).flatMap(toHit);
      question.isMiss = own.length === 0;
    });
  }

  list(): Question[] {
    return this.#questions.latest().map((question) => ({ ...question }));
  }
}

type Row = Readonly<Record<string, unknown>>;

function rowsOf(content: unknown): readonly Row[] | undefined {
  const { tools } = Object(content) as { tools?: unknown };
  return Array.isArray(tools) ? tools.map((row) => Object(row) as Row) : undefined;
}

/** Whether a query found a tool. A tool found by several queries names all of them, such as `1+3`. */
function isAnswerTo({ query }: Row, number: number): boolean {
  return String(query ?? '')
    .split('+')
    .includes(String(number));
}

/** The code form returns the path of a function instead of an address. */
function toHit({ address, path, name, confidence }: Row): Hit[] {
  const found = address ?? path ?? name;
  if (typeof found !== 'string') return [];
  return [
    {
      address: clip(found, MAX_NAME),
      ...(typeof confidence === 'string' ? { confidence: clip(confidence, MAX_NAME) } : {}),
    },
  ];
}
