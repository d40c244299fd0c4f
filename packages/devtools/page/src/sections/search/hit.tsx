import type { SearchReport } from '../../../../src/page-api.js';
import { linkTo } from '../../routes.js';
import { Badge } from '../../ui/badge.js';
import type { BadgeKind } from '../../ui/badge.js';
import { LinkButton } from '../../ui/button.js';
import { countOf } from '../../ui/figures.js';
import { Text, visibleText } from '../../ui/text.js';
import {
  confidenceTexts,
  describeHow,
  explainMiss,
  partColours,
  partTexts,
  toBar,
  writtenWord,
} from './reasons.js';
import type { SearchedTool } from './reasons.js';

interface HitProps {
  readonly tool: SearchedTool;
  readonly report: SearchReport;
  /** Score at the full width of the bar, so that the bars of all tools can be compared. */
  readonly widest: number;
  readonly limit: number;
}

const kinds: Readonly<Record<SearchedTool['confidence'], BadgeKind>> = {
  strong: 'ok',
  likely: 'info',
  weak: 'plain',
};

/** Shows a tool of the answer with the reasons for its rank, or explains why the answer lacks it. */
export function Hit({ tool, report, widest, limit }: HitProps) {
  const { address, place, isFound, confidence, score, matches } = tool;
  const description = report.descriptions?.[address];
  return (
    <article class="hit" aria-label={`${place === undefined ? '' : `${place}. `}${address}`}>
      <div class="hit-head">
        <span class="hit-place number" aria-hidden="true">
          {place ?? '–'}
        </span>
        <h3 class="hit-name">
          <a class="hit-link" href={linkTo('surface', address)}>
            <bdi class="mono">
              {address.split(/(?<=[/_])/).map((part) => (
                <>
                  {visibleText(part)}
                  <wbr />
                </>
              ))}
            </bdi>
          </a>
        </h3>
        {isFound ? (
          <Badge kind={kinds[confidence]} title={confidenceTexts[confidence]}>
            {confidence}
          </Badge>
        ) : (
          <Badge kind="warning">not found</Badge>
        )}
        <span
          class="number small soft"
          title="The sum of this tool, divided by the best possible sum for the question"
        >
          score {score.toFixed(2)}
        </span>
        <LinkButton isSmall kind="quiet" icon="try" href={linkTo('try', address)}>
          Try
        </LinkButton>
      </div>
      {description !== undefined && (
        <p class="soft hit-text">
          <Text value={description} clamp={2} />
        </p>
      )}
      {!isFound && <p class="hit-text">{explainMiss(tool, limit)}</p>}
      <SumBar tool={tool} widest={widest} />
      {matches.length > 0 && (
        <details class="small" open={place === 1 || !isFound}>
          <summary class="soft">{countOf(matches.length, 'matching word')}</summary>
          <table class="hit-matches">
            <caption class="visually-hidden">Words of the question that match {address}</caption>
            <thead>
              <tr>
                <th scope="col">Word</th>
                <th scope="col">Word of the tool</th>
                <th scope="col">How</th>
                <th scope="col">Where</th>
                <th scope="col" class="number">
                  Adds
                </th>
              </tr>
            </thead>
            <tbody>
              {matches
                .toSorted((one, other) => other.amount - one.amount)
                .map((match) => (
                  <tr key={`${match.stem} ${match.term}`}>
                    <th scope="row">
                      <bdi>{visibleText(writtenWord(report.words, match.stem))}</bdi>
                    </th>
                    <td>
                      <bdi>{visibleText(match.term)}</bdi>
                    </td>
                    <td class="soft">{describeHow(match)}</td>
                    <td class="soft">{match.fields.join(', ')}</td>
                    <td class="number">{match.amount.toFixed(3)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </details>
      )}
    </article>
  );
}

/** Draws the parts of the score as a stacked bar. The legend contains the same as text. */
function SumBar({ tool, widest }: { readonly tool: SearchedTool; readonly widest: number }) {
  const { added, lowered } = toBar(tool, widest);
  if (added.length + lowered.length === 0) return null;
  return (
    <div class="stack stack-tight">
      <div class="hit-bar" aria-hidden="true">
        {added.map(({ part, width }) => (
          <span key={part} style={{ width: `${width}%`, background: `var(${partColours[part]})` }} />
        ))}
      </div>
      <ul class="hit-legend small" aria-label={`Parts of the sum of ${tool.address}`}>
        {[...added, ...lowered].map(({ part, amount }) => (
          <li key={part} title={partTexts[part].explanation}>
            <span
              class={amount < 0 ? 'hit-dot hit-dot-lowered' : 'hit-dot'}
              style={{ background: `var(${partColours[part]})` }}
            />
            {partTexts[part].name}
            <span class="number">{`${amount < 0 ? '−' : ''}${Math.abs(amount).toFixed(3)}`}</span>
          </li>
        ))}
        <li class="soft">
          sum <span class="number">{tool.sum.toFixed(3)}</span>
          {`(${Math.round(tool.score * 100)} % of the best possible)`}
        </li>
      </ul>
    </div>
  );
}
