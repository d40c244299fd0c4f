import { Fragment } from 'preact';
import type { SearchReport } from '../../../../src/page-api.js';
import { Badge } from '../../ui/badge.js';
import { Notice } from '../../ui/feedback.js';
import { countOf } from '../../ui/figures.js';
import { Name, visibleText } from '../../ui/text.js';
import { Hit } from './hit.js';
import { describeWord, explainRefusal, widestOf } from './reasons.js';

interface ReportProps {
  readonly report: SearchReport;
  readonly limit: number;
  /** Address of the tool that the developer asked about. */
  readonly tool: string | undefined;
}

/** Shows the answer to a query: its words, the hits, and tools that come close. */
export function Report({ report, limit, tool }: ReportProps) {
  const { tools } = report;
  const found = tools.filter(({ isFound }) => isFound);
  const asked = tools.filter((each) => !each.isFound && each.address === tool);
  const foundAsked = found.find(({ address }) => address === tool);
  const close = tools.filter((each) => !each.isFound && each.address !== tool);
  const refusal = explainRefusal(report);
  const widest = widestOf(tools);
  const show = (each: SearchReport['tools'][number]) => (
    <li key={each.address}>
      <Hit tool={each} report={report} widest={widest} limit={limit} />
    </li>
  );
  return (
    <div class="stack">
      <Words report={report} />
      {refusal ? (
        <Notice kind="warning">
          <p class="strong">No tool matches</p>
          <p>{refusal.why}</p>
          <p class="soft">{refusal.advice}</p>
        </Notice>
      ) : (
        <p class="soft small">
          {countOf(found.length, 'hit')} in {countOf(report.searched, 'action')}
        </p>
      )}
      {foundAsked?.place !== undefined && (
        <p class="small">
          The search returns <Name value={foundAsked.address} /> in place {foundAsked.place}.
        </p>
      )}
      {asked.length > 0 && (
        <div class="stack" role="group" aria-label="The tool that you asked about">
          <h2>Why this tool is not a hit</h2>
          <ul class="stack">{asked.map(show)}</ul>
        </div>
      )}
      {found.length > 0 && (
        <div class="stack" role="group" aria-label="Hits">
          <h2 class="visually-hidden">Hits</h2>
          <ol class="stack">{found.map(show)}</ol>
        </div>
      )}
      {close.length > 0 && (
        <div class="stack" role="group" aria-label="Tools that come closest">
          <h2>What comes closest</h2>
          <ul class="stack">{close.map(show)}</ul>
        </div>
      )}
    </div>
  );
}

const signalTexts: Readonly<Record<string, string>> = {
  known: 'share of the words that some tool has',
  matched: 'words that one of the first tools has (logarithmic)',
  covered: 'share of the words that the first tool has',
  common: 'how many tools have the words',
  strength: 'sum of the first tool, as a share of the highest possible sum',
  keywords: 'share of the tools that have keywords',
  chance: 'how many words of any question match by chance',
};

function Words({ report: { words, signals } }: { readonly report: SearchReport }) {
  const searched = words.filter(({ isStopWord }) => !isStopWord);
  const general = new Set(words.filter(({ isStopWord }) => isStopWord).map(({ written }) => written));
  return (
    <div role="group" aria-label="Words of the question" class="stack stack-tight">
      <ul class="words">
        {searched.map((word, at) => (
          <li key={`${word.written} ${at}`} class="word" data-kind={word.isUnknown ? 'unknown' : 'searched'}>
            <bdi class="strong">{visibleText(word.written)}</bdi>
            <span class="small">{describeWord(word)}</span>
            {word.weight > 0 && <Badge>{`weight ${word.weight.toFixed(2)}`}</Badge>}
          </li>
        ))}
      </ul>
      {general.size > 0 && (
        <p class="small soft">
          Not searched, because they are too general: <bdi>{visibleText([...general].join(', '))}</bdi>
        </p>
      )}
      <details class="small">
        <summary class="soft">Facts from which the confidence is computed</summary>
        <dl class="facts signals">
          {Object.entries(signals).map(([name, value]) => (
            <Fragment key={name}>
              <dt>
                {name}
                <span class="faint"> {signalTexts[name]}</span>
              </dt>
              <dd class="number">{Number(value).toFixed(2)}</dd>
            </Fragment>
          ))}
        </dl>
      </details>
    </div>
  );
}
