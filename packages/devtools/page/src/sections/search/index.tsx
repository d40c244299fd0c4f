// oxlint-disable-next-line import/no-unassigned-import -- The styles of the section belong to its chunk.
import './search.css';
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import { tree } from '../../api/stores.js';
import { replaceRest, route } from '../../routes.js';
import { Button, IconButton } from '../../ui/button.js';
import { EmptyState, ErrorState, Spinner } from '../../ui/feedback.js';
import { SearchField, Select } from '../../ui/field.js';
import { countOf } from '../../ui/figures.js';
import { Page } from '../../ui/page.js';
import { visibleText } from '../../ui/text.js';
import { announce } from '../../ui/toast.js';
import { live } from '../live/store/feed.js';
import { forgetQuestions, loadRecentQuestions, recentQuestions, remember } from './recent-questions.js';
import { Report } from './report.js';
import { readSearchRoute, writeSearchRoute } from './search-route.js';
import type { SearchRoute } from './search-route.js';
import { useSearch } from './use-search.js';

/** Maximum number of characters of a query that the server accepts. */
const MAX_QUERY = 2_000;
const REMEMBER_MS = 1_500;
const limits = ['5', '10', '25', '50'] as const;

/** Section for trying the server's search: a query, its hits, and the reasons for each. */
export function Search() {
  useEffect(loadRecentQuestions, []);
  const shown = readSearchRoute(route.value.rest);
  const change = (changed: Partial<SearchRoute>) =>
    replaceRest('search', writeSearchRoute({ ...shown, ...changed }));
  const [limit, setLimit] = useState<(typeof limits)[number]>('10');
  const { query, other, tool } = shown;
  return (
    <Page
      title="Search"
      lead="Search as a model does with search_tools, and see how each hit is ranked."
      actions={
        <>
          <Select
            label="Number of hits"
            value={limit}
            options={limits.map((value) => ({ value, label: `${value} hits` }))}
            onChange={setLimit}
          />
          {other === undefined ? (
            <Button onClick={() => change({ other: '' })}>Compare with another question</Button>
          ) : (
            <Button icon="close" onClick={() => change({ other: undefined })}>
              End comparison
            </Button>
          )}
        </>
      }
    >
      <div class={other === undefined ? undefined : 'search-compare'}>
        <Question
          label="Question"
          query={query}
          tool={tool}
          limit={Number(limit)}
          onQuery={(next) => change({ query: next })}
          onTool={(next) => change({ tool: next })}
        />
        {other !== undefined && (
          <Question
            label="Second question"
            query={other}
            tool={tool}
            limit={Number(limit)}
            onQuery={(next) => change({ other: next })}
            onTool={(next) => change({ tool: next })}
          />
        )}
      </div>
    </Page>
  );
}

interface QuestionProps {
  readonly label: string;
  readonly query: string;
  readonly tool: string | undefined;
  readonly limit: number;
  readonly onQuery: (query: string) => void;
  readonly onTool: (tool: string | undefined) => void;
}

function Question({ label, query, tool, limit, onQuery, onTool }: QuestionProps) {
  const { report, error, isLoading } = useSearch(query, limit, tool);
  useEffect(() => {
    if (!report) return undefined;
    const found = report.tools.filter(({ isFound }) => isFound).length;
    announce(found === 0 ? 'No tool matches' : countOf(found, 'hit'));
    // A query that stays unchanged for a while is remembered even without Enter.
    const timer = setTimeout(() => remember(report.query), REMEMBER_MS);
    return () => clearTimeout(timer);
  }, [report]);
  return (
    <section class="stack search-question" aria-label={label}>
      <div class="search-ask">
        <SearchField
          label={
            label === 'Question' ? 'Ask for a tool, such as “give a buyer the money back”' : 'Ask differently'
          }
          value={query}
          onChange={(next) => onQuery(next.slice(0, MAX_QUERY))}
          onKeyDown={({ key }) => {
            if (key === 'Enter') remember(query);
          }}
        />
        <span class="search-busy">{isLoading && <Spinner label="Searching" />}</span>
      </div>
      {error && <ErrorState error={error} />}
      {report && query.trim() !== '' && (
        <>
          <WhyNot tool={tool} onTool={onTool} />
          <Report report={report} limit={limit} tool={tool} />
        </>
      )}
      {query.trim() === '' && <Suggestions onQuery={onQuery} />}
    </section>
  );
}

/** Lets the developer choose an expected tool, and explains why the search does not return it. */
function WhyNot({ tool, onTool }: Pick<QuestionProps, 'tool' | 'onTool'>) {
  const id = useId();
  const [text, setText] = useState(tool ?? '');
  useEffect(() => setText(tool ?? ''), [tool]);
  const addresses = useMemo(
    () =>
      new Set((tree.value?.nodes ?? []).flatMap(({ address }) => (address === undefined ? [] : [address]))),
    [tree.value],
  );
  const wanted = text.trim().toLowerCase();
  // Offer at most 50 addresses, because all addresses of a large server would freeze the browser.
  const offered = [...addresses].filter((address) => address.toLowerCase().includes(wanted)).slice(0, 50);
  const ask = (value: string) => {
    setText(value);
    if (value === '') onTool(undefined);
    else if (addresses.has(value)) onTool(value);
  };
  return (
    <div class="row small">
      <label for={id} class="soft">
        Why is this tool not a hit?
      </label>
      <input
        id={id}
        class="input input-mono why-not"
        list={`${id}-list`}
        placeholder="address of a tool"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => ask(currentTarget.value)}
      />
      <datalist id={`${id}-list`}>
        {offered.map((address) => (
          <option key={address} value={address} />
        ))}
      </datalist>
      {tool !== undefined && (
        <IconButton isSmall icon="close" label="Ask about no tool" onClick={() => onTool(undefined)} />
      )}
      {text !== '' && !addresses.has(text) && <span class="soft">No tool has this address yet.</span>}
    </div>
  );
}

function Suggestions({ onQuery }: Pick<QuestionProps, 'onQuery'>) {
  const questions = live.statistics.value?.questions ?? [];
  const misses = questions.filter(({ isMiss }) => isMiss).map(({ query }) => query);
  const recent = recentQuestions.value;
  if (misses.length + recent.length === 0)
    return (
      <EmptyState icon="search" title="Ask for what you want to do">
        <p>
          The page shows the words that count, the hits with their confidence, and what each score is made of.
          Questions of clients that find nothing appear here too.
        </p>
      </EmptyState>
    );
  return (
    <div class="search-suggestions">
      <Suggested title="Recent questions" questions={recent} onQuery={onQuery} onForget={forgetQuestions} />
      <Suggested
        title="Questions of clients that found nothing"
        questions={misses.slice(0, 12)}
        onQuery={onQuery}
      />
    </div>
  );
}

interface SuggestedProps extends Pick<QuestionProps, 'onQuery'> {
  readonly title: string;
  readonly questions: readonly string[];
  readonly onForget?: (() => void) | undefined;
}

function Suggested({ title, questions, onQuery, onForget }: SuggestedProps) {
  if (questions.length === 0) return null;
  return (
    <section class="panel" aria-label={title}>
      <div class="panel-head">
        <h2>{title}</h2>
        {onForget && (
          <Button isSmall kind="quiet" onClick={onForget}>
            Forget
          </Button>
        )}
      </div>
      <ul class="panel-body stack stack-tight">
        {questions.map((question) => (
          <li key={question}>
            <button type="button" class="link-button" onClick={() => onQuery(question)}>
              <bdi>{visibleText(question)}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
