/** Without any of this a text holds nothing that a pattern could find. Most texts end here. */
const SUSPECT =
  /[:=]|%3|--|eyJ|[Bb][EeAa][AaSs][RrIi]|[sr]k[-_]|gh[pousr]_|_pat_|lpat-|xox|xapp|[KS]IA|AIza|npm_|ya29|hf_|SG\./;

/** Whether a text may hold something that a pattern finds. */
export function isSuspect(text: string): boolean {
  return SUSPECT.test(text);
}
