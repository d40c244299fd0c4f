/** A character that people do not see but models read. */
export interface HiddenCharacter {
  /** Position in the text, in UTF-16 units. */
  readonly index: number;
  /** Number of UTF-16 units: 1 or 2. */
  readonly length: number;
  /** Unicode code point. */
  readonly code: number;
  /** `tag`, `direction`, `zero-width`, `invisible`, `variation` or `control`. */
  readonly kind: string;
}

const ZWNJ = 0x20_0c;
const ZWJ = 0x20_0d;
const BLACK_FLAG = 0x1_f3_f4;
const CANCEL_TAG = 0xe_00_7f;

/** Finds invisible characters. Allows those that a script or an emoji needs, such as joiners between Indic letters. */
export function findHidden(text: string): HiddenCharacter[] {
  const found: HiddenCharacter[] = [];
  // Fast path: most texts contain none.
  if (!/[^\t\n\r -~\u00a1-\u00ac\u00ae-\u02ff]/.test(text)) return found;
  let previous = 0;
  let isFlag = false;
  for (let index = 0; index < text.length;) {
    const code = text.codePointAt(index) ?? 0;
    const length = code > 0xff_ff ? 2 : 1;
    if (code === BLACK_FLAG) isFlag = true;
    else if (!isTag(code)) isFlag = false;
    const kind = kindOf(code);
    if (
      kind !== undefined &&
      !isNeeded({ code, previous, next: text.codePointAt(index + length) ?? 0, isFlag, text, index })
    )
      found.push({ index, length, code, kind });
    previous = code;
    index += length;
  }
  return found;
}

function isTag(code: number): boolean {
  return code >= 0xe_00_00 && code <= CANCEL_TAG;
}

function kindOf(code: number): string | undefined {
  if (isTag(code)) return 'tag';
  if ((code >= 0x20_2a && code <= 0x20_2e) || (code >= 0x20_66 && code <= 0x20_69)) return 'direction';
  if (code === 0x20_0e || code === 0x20_0f || code === 0x06_1c) return 'direction';
  if ((code >= 0x20_0b && code <= ZWJ) || (code >= 0x20_60 && code <= 0x20_65) || code === 0xfe_ff)
    return 'zero-width';
  if (code === 0x00_ad || code === 0x18_0e || code === 0x11_5f || code === 0x11_60 || code === 0x31_64)
    return 'invisible';
  if (code >= 0xe_01_00 && code <= 0xe_01_ef) return 'variation';
  if (code >= 0x20_6a && code <= 0x20_6f) return 'invisible';
  const isControl = code < 0x20 || (code >= 0x7f && code <= 0x9f);
  return isControl && code !== 0x09 && code !== 0x0a && code !== 0x0d ? 'control' : undefined;
}

interface Context {
  readonly code: number;
  readonly previous: number;
  readonly next: number;
  readonly isFlag: boolean;
  readonly text: string;
  readonly index: number;
}

/** Scripts in which joiners change the shape of words. */
const joining =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Gujarati}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}]/u;
const emoji = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;

function isNeeded({ code, previous, next, isFlag, text, index }: Context): boolean {
  const [before, after] = [String.fromCodePoint(previous), String.fromCodePoint(next)];
  if (code === ZWJ) return (emoji.test(before) && emoji.test(after)) || joining.test(before);
  if (code === ZWNJ) return joining.test(before) && joining.test(after);
  if (isTag(code)) return isFlag;
  // Unicode registers variants of Han characters.
  if (code >= 0xe_01_00) return /\p{Script=Han}/u.test(before);
  if (code === 0x20_0e || code === 0x20_0f || code === 0x06_1c)
    return rightToLeft.test(text.slice(Math.max(0, index - 200), index + 200));
  return false;
}

/** Removes the characters that `findHidden` finds. */
export function removeHidden(text: string): string {
  return replaceHidden(text, () => '');
}

/** Escapes hidden characters, so that reports can show them. */
export function showHidden(text: string): string {
  return replaceHidden(text, (code) => `\\u{${code.toString(16)}}`);
}

function replaceHidden(text: string, replace: (code: number) => string): string {
  const parts: string[] = [];
  let end = 0;
  for (const { index, length, code } of findHidden(text)) {
    parts.push(text.slice(end, index), replace(code));
    end = index + length;
  }
  return end === 0 ? text : [...parts, text.slice(end)].join('');
}

/** Decodes Unicode tag characters, which models read as ASCII. */
export function readTags(text: string): string {
  let spelled = '';
  for (const { code, kind } of findHidden(text))
    if (kind === 'tag' && code >= 0xe_00_20 && code < CANCEL_TAG)
      spelled += String.fromCodePoint(code - 0xe_00_00);
  return spelled;
}
