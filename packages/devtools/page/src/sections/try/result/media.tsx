import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { decodeBase64 } from '../../../mcp/base64.js';
import { Badge } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { Notice } from '../../../ui/feedback.js';
import { bytesOf, formatBytes } from '../controls/file-control.js';
import { isSvg } from './result-parts.js';
import type { Media } from './result-parts.js';

/** Larger images and sounds are shown only after a click. */
const MAX_SHOWN = 8 * 1024 * 1024;

/**
 * Shows an image, a sound or a file of the server. None of them gets a URL in the origin of the page, because a browser
 * can open the URL of an image in a tab as a document: documents of `data:` have an opaque origin, and a canvas has no
 * URL.
 */
export function MediaView({ part, name }: { readonly part: Media; readonly name: string }) {
  const { kind, mimeType, data } = part;
  const size = bytesOf(data);
  const [isWanted, setWanted] = useState(size <= MAX_SHOWN);
  const [isBroken, setBroken] = useState(false);
  const bytes = useMemo(() => decodeBase64(data), [data]);
  if (!bytes) return <Notice kind="error">The data is not base64.</Notice>;
  const label = `${kind === 'audio' ? 'Audio' : 'Image'} of ${name}`;
  const shown = { src: `data:${mimeType};base64,${data}`, onError: () => setBroken(true) };
  const facts = (
    <div class="row">
      <Badge>{mimeType.slice(0, 100)}</Badge>
      <span class="soft small">{formatBytes(size)}</span>
      <Button isSmall onClick={() => download(bytes, fileName(name, mimeType))}>
        Download
      </Button>
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
      {isBroken ? (
        <Notice kind="warning">The browser cannot show this as {mimeType.slice(0, 100)}.</Notice>
      ) : kind === 'audio' ? (
        <audio class="try-audio" controls aria-label={label} {...shown} />
      ) : kind === 'image' && isSvg(mimeType) ? (
        <Drawing label={label} {...shown} />
      ) : (
        kind === 'image' && <img class="try-image" alt={label} {...shown} />
      )}
      {facts}
    </div>
  );
}

/** Pixels of the longer side of a drawing. */
const MAX_SIDE = 4_096;

interface DrawingProps {
  readonly src: string;
  readonly label: string;
  readonly onError: () => void;
}

/** Draws an SVG image on a canvas, because scripts in it would run if the browser opened its URL as a document. */
function Drawing({ src, label, onError }: DrawingProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const image = new Image();
    image.onerror = onError;
    image.onload = () => {
      const { current } = canvas;
      if (!current) return;
      // In some browsers, an SVG image that declares no size has the width and height 0.
      const { naturalWidth: width = 0, naturalHeight: height = 0 } = image;
      const scale = Math.min(1, MAX_SIDE / Math.max(width, height, 1));
      current.width = width * scale || 300;
      current.height = height * scale || 150;
      current.getContext('2d')?.drawImage(image, 0, 0, current.width, current.height);
    };
    image.src = src;
  }, [src]);
  return <canvas class="try-image" role="img" aria-label={label} ref={canvas} />;
}

/** Milliseconds until the address of a file is revoked. Some browsers read the file only after the click. */
const DOWNLOAD_MS = 10_000;

/**
 * Saves a file. Its type is one that no browser displays and no link shows its URL, so that it cannot be opened as a
 * page of this origin.
 */
function download(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), DOWNLOAD_MS);
}

/** Returns a safe file name with an extension for the type. */
function fileName(name: string, mimeType: string): string {
  const safe = name.replace(/[^\w.-]+/g, '_').slice(-60) || 'file';
  const [, ending = 'bin'] = /\/([a-z0-9]+)/i.exec(mimeType) ?? [];
  return safe.includes('.') ? safe : `${safe}.${ending}`;
}
