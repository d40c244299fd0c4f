import type { EndedCall } from '../../engine/trace/call-listeners.js';
import type { LiveStatistics } from '../page-events.js';
import { clip } from '../../values/nearest-name.js';
import { RecentMap } from './recent-map.js';

type Question = LiveStatistics['questions'][number];
type AskedQuestion = { -readonly [Field in keyof Question]: Question[Field] };
type Hit = Question['hits'][number];

const MAX_QUESTIONS = 100;
/** The search form takes fewer in one call. A tool of another server may have the same name and take more. */
const MAX_ASKED = 20;
const MAX_QUERY = 300;
const MAX_HITS = 10;
const MAX_NAME = 200;

/** The questions of models to the search form, with the tools that they got. */
export class AskedQuestions {
  readonly #questions = new RecentMap<string, AskedQuestion>(MAX_QUESTIONS);

  /** Notes the questions of a call of `search_tools`. `hide` removes credentials from texts. */
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

  /** The questions, the latest first. */
  list(): Question[] {
    return this.#questions.latest().map((question) => ({ ...question }));
  }
}

type Row = Readonly<Record<string, unknown>>;

function rowsOf(content: unknown): readonly Row[] | undefined {
  const { tools } = Object(content) as { tools?: unknown };
  return Array.isArray(tools) ? tools.map((row) => Object(row) as Row) : undefined;
}

/** Whether a tool was found by the question of a number. A tool of several questions names all of them, such as `1+3`. */
function isAnswerTo({ query }: Row, number: number): boolean {
  return String(query ?? '')
    .split('+')
    .includes(String(number));
}

/** The code form names tools by the path of their function. */
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
