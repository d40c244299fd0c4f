import { Badge } from '../../../ui/badge.js';
import { CodeBlock } from '../../../ui/copy.js';
import { JsonView } from '../../../ui/json/json-view.js';
import { ExternalLink, isWebLink, Name, Text } from '../../../ui/text.js';
import { linkTo } from '../../../routes.js';
import { DataView } from './data-view.js';
import { MediaView } from './media.js';
import type { Part } from './result-parts.js';

/** Shows a part of a result, prompt or resource as text, an image or a sound, never as markup. */
export function PartView({ part, label }: { readonly part: Part; readonly label: string }) {
  switch (part.kind) {
    case 'data':
      return (
        <DataView
          value={part.value}
          label={part.source === 'structured' ? 'structured content' : `JSON ${label}`}
          text={part.text}
        />
      );
    case 'text':
      return (
        <div class="stack stack-tight">
          {part.mimeType !== undefined && (
            <div>
              <Badge>{part.mimeType}</Badge>
            </div>
          )}
          <CodeBlock value={part.text} label={label} />
        </div>
      );
    case 'image':
    case 'audio':
    case 'blob':
      return <MediaView part={part} name={label} />;
    case 'link':
      return (
        <div class="stack stack-tight">
          <div class="row">
            <Badge>resource link</Badge>
            {part.mimeType !== undefined && <Badge kind="outline">{part.mimeType}</Badge>}
          </div>
          {part.name !== undefined && <Name value={part.name} />}
          {part.description !== undefined && <Text value={part.description} clamp={4} />}
          <div class="row">
            {isWebLink(part.uri) ? <ExternalLink href={part.uri} /> : <Name value={part.uri} />}
            <a class="button button-small" href={linkTo('items', `resource/${part.uri}`)}>
              Read this resource
            </a>
          </div>
        </div>
      );
    case 'resource':
      return (
        <div class="stack stack-tight">
          <div class="row">
            <Badge>resource</Badge>
            <Name value={part.uri} />
          </div>
          <PartView part={part.contents} label={part.uri} />
        </div>
      );
    case 'unknown':
      return <JsonView value={part.value} label={label} />;
  }
}
