const IGNORED = String.raw`[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*`;
const DOTS = new RegExp(String.raw`^${IGNORED}\.(?:${IGNORED}\.)?${IGNORED}(?:[;\p{Cc}].*)?$`, 'su');

/**
 * Whether a server may read a decoded segment of a path as `.` or `..`. Some servers ignore blanks and invisible characters, and
 * everything after a semicolon or a control character.
 */
export function isDotSegment(segment: string): boolean {
  return DOTS.test(segment);
}
