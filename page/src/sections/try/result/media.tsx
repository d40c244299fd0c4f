import { useEffect, useMemo, useState } from 'preact/hooks';
import { decodeBase64 } from '../../../mcp/base64.js';
import { Badge } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { Notice } from '../../../ui/feedback.js';
import { bytesOf, formatBytes } from '../controls/file-control.js';
import type { Media } from './result-parts.js';

/** Larger images and sounds are shown only when asked for. */
const MAX_SHOWN = 8 * 1024 * 1024;

/** An image, a sound or a file of the server. It is decoded here and never loaded from an address. */
export function MediaView({ part, name }: { readonly part: Media; readonly name: string }) {
  const { kind, mimeType, data } = part;
  const size = bytesOf(data);
  const [isWanted, setWanted] = useState(size <= MAX_SHOWN);
  const [isBroken, setBroken] = useState(false);
  const bytes = useMemo(() => decodeBase64(data), [data]);
  const url = useBlobUrl(isWanted ? bytes : undefined, mimeType);
  if (!bytes) return <Notice kind="error">The data is not base64.</Notice>;
  const facts = (
    <div class="row">
      <Badge>{mimeType.slice(0, 100)}</Badge>
      <span class="soft small">{formatBytes(size)}</span>
      {url !== undefined && (
        <a class="button button-small" href={url} download={fileName(name, mimeType)}>
          Download
        </a>
      )}
    </div>
  );
  if (!isWanted)
    return (
      <div class="stack">
        {facts}
        <div>
          <Button isSmall onClick={() => setWanted(true)}>
            Show {formatBytes(size)}
          </Button>
        </div>
      </div>
    );
  return (
    <div class="stack">
      {kind === 'image' && url !== undefined && !isBroken && (
        <img class="try-image" src={url} alt={`Image of ${name}`} onError={() => setBroken(true)} />
      )}
      {kind === 'audio' && url !== undefined && !isBroken && (
        <audio
          class="try-audio"
          controls
          src={url}
          aria-label={`Audio of ${name}`}
          onError={() => setBroken(true)}
        />
      )}
      {isBroken && <Notice kind="warning">The browser cannot show this as {mimeType.slice(0, 100)}.</Notice>}
      {facts}
    </div>
  );
}

function useBlobUrl(bytes: Uint8Array<ArrayBuffer> | undefined, mimeType: string): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!bytes) return undefined;
    // A blob of another type could run as a page of this origin if the developer opened it.
    const type =
      /^(?:image\/(?!svg)|audio\/)[\w.+-]+$/i.test(mimeType) || mimeType === 'image/svg+xml'
        ? mimeType
        : 'application/octet-stream';
    const created = URL.createObjectURL(new Blob([bytes], { type }));
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [bytes, mimeType]);
  return url;
}

/** A harmless file name with the ending of its type. */
function fileName(name: string, mimeType: string): string {
  const safe = name.replace(/[^\w.-]+/g, '_').slice(-60) || 'file';
  const [, ending = 'bin'] = /\/([a-z0-9]+)/i.exec(mimeType) ?? [];
  return safe.includes('.') ? safe : `${safe}.${ending}`;
}
