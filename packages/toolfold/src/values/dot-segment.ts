const BLANK = String.raw`[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*`;
const DOTS = new RegExp(String.raw`^${BLANK}\.(?:${BLANK}\.)?${BLANK}(?:[;?#\p{Cc}].*)?$`, 'su');

/** Characters that URL parsers remove, even in the middle of an escape. */
const IGNORED = /[\t\n\r]/g;
/** Maximum number of nested escapes. A path with more counts as one with dot segments. */
const MAX_LAYERS = 8;
/** The escapes of `%`, `.`, `/`, backslash, `;`, `?`, `#`, NUL, tab and line breaks. */
const ESCAPE = /%(?:25|2e|2f|5c|3b|3f|23|00|09|0a|0d)/gi;
const OTHER_ESCAPE = /%[\da-f]{2}/gi;

/**
 * Whether a server may read a part of a decoded path as `.` or `..`, or the path contains NUL, which ends paths in C. Servers may decode a
 * path again or pass it to a URL parser, so all nested escapes are decoded first, and tabs and line breaks are removed as URL parsers do.
 * Other escapes do not count, because they may be those of blanks. Some servers ignore blanks and invisible characters, and everything
 * after a semicolon or a control character; URL parsers end a path at `?` and `#`.
 */
export function hasDotSegment(value: string): boolean {
  let path = value.replace(IGNORED, '');
  for (let layer = 0; path.search(ESCAPE) >= 0; layer++) {
    if (layer === MAX_LAYERS) return true;
    const decoded = path.replace(ESCAPE, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
    path = decoded.replace(IGNORED, '');
  }
  if (path.includes('\0')) return true;
  return path.split(/[/\\]/).some((segment) => DOTS.test(segment.replace(OTHER_ESCAPE, '')));
}
