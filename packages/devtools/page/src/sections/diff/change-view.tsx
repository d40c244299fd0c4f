import type { Change } from '../../../../src/page-api.js';
import { tree } from '../../api/stores.js';
import { linkTo } from '../../routes.js';
import { JsonView } from '../../ui/json/json-view.js';
import { Name, Text, visibleText } from '../../ui/text.js';

/** Shows a change with its details, its example value and the changed words. */
export function ChangeView({ change }: { readonly change: Change }) {
  const { address, kind, message, details = [], witness, words } = change;
  // A removed item has no page to link to.
  const isKnown = tree.value?.nodes.some((node) => node.address === address) === true;
  return (
    <div class="stack stack-tight">
      <div class="row">
        {isKnown ? (
          <a href={linkTo('surface', address)}>
            <Name value={address} />
          </a>
        ) : (
          <Name value={address} class="strong" />
        )}
        <Name value={kind} class="faint small" />
      </div>
      <p class="diff-message">
        <Text value={message} />
      </p>
      {details.length > 0 && (
        <ul class="diff-details">
          {details.map((detail, index) => (
            <li key={index}>
              <Text value={detail} />
            </li>
          ))}
        </ul>
      )}
      {words !== undefined && words.length > 0 && (
        <p class="diff-words">
          {words.map(({ kind: part, text }, index) => {
            const content = <bdi>{visibleText(text)}</bdi>;
            if (part === 'same') return <span key={index}>{content} </span>;
            return part === 'added' ? (
              <ins key={index}>
                <span class="visually-hidden">added: </span>
                {content}{' '}
              </ins>
            ) : (
              <del key={index}>
                <span class="visually-hidden">removed: </span>
                {content}{' '}
              </del>
            );
          })}
        </p>
      )}
      {witness && (
        <div class="diff-witness">
          <p class="soft small">
            {witness.acceptedBy === 'before'
              ? 'Was accepted before, and is rejected now:'
              : 'Was rejected before, and is accepted now:'}
          </p>
          <JsonView value={witness.value} label="witness" />
        </div>
      )}
    </div>
  );
}
