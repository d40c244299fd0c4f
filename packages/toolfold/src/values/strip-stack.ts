/** A line longer than MAX_LINE is not a frame, and a text longer than MAX_TEXT is cut before the search. */
const MAX_LINE = 1_000;
const MAX_TEXT = 16_384;

/** Whether a line of text is a frame of a stack trace, as V8 writes it: `at read (file:///srv/app.js:12:3)`. */
export function isFrame(line: string): boolean {
  if (line.length > MAX_LINE || !/^\s*at /.test(line)) return false;
  const text = line.trimEnd();
  // `at 12:30:45` is a time.
  return /:\d+:\d+\)?$/.test(text)
    ? /[/\\(<]|node:|file:/.test(text)
    : /\((?:native|<anonymous>|index \d+)\)$/.test(text);
}

/** A frame within JSON text, where line breaks are written as `\n`. */
const escapedFrames = /\\n\s*at [^"\\\n]*:\d+:\d+\)?/g;

/** Removes the frames of stack traces from a text, because texts for clients must not name the files of the server. */
export function stripStack(given: string): string {
  if (!given.includes('at ')) return given;
  const text = given.slice(0, MAX_TEXT);
  const isCut = text.length < given.length;
  const lines = text.split('\n').filter((line) => !isFrame(line));
  return `${lines.join('\n').replaceAll(escapedFrames, '')}${isCut ? '…' : ''}`;
}
