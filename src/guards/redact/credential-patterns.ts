import { decodeBase64 } from './credential-forms.js';
import { isProse } from './prose.js';
import { findAssignments } from './secret-assignments.js';
import type { Span } from './text-spans.js';

const SHAPED =
  /:\/\/|eyJ|bearer|basic|[sr]k[-_]|gh[pousr]_|_pat_|lpat-|xox|xapp|[KS]IA|AIza|npm_|ya29|hf_|SG\./i;
/** A part of every secret name, with what may stand between it and the sign before the value. */
const NAMED =
  /(?:pass|pwd|secret|token|key|auth|cook|cred|sess|sid|sig|jwt|bearer|otp|mnemonic|phrase|code|string)[\w.-]{0,64}(?: [\w.-]{1,64})?["'`\\\])]{0,4}[ \t]{0,4}(?:[:=]|%3)/i;

/** Finds what looks like a credential, by its own shape or by the name before it. */
export function findPatterns(text: string, mark: string, spans: Span[]): void {
  if (SHAPED.test(text)) for (const shape of shapes) findShape(text, shape, spans);
  if (text.includes('PRIVATE KEY')) findPrivateKeys(text, spans);
  if (text.includes('--') || NAMED.test(text)) findAssignments(text, mark, spans);
}

interface Shape {
  /** Its first group is what stays. */
  readonly pattern: RegExp;
  readonly accepts?: (secret: string) => boolean;
}

/** A run starts once: a pattern that could start anywhere inside of its own run would take quadratic time. */
const shapes: readonly Shape[] = [
  {
    pattern:
      /((?<![\w-])|(?<=%[0-9A-Fa-f]{2}))eyJ[\w-]{5,}(?:\.[\w-]{2,}\.[\w-]*(?:\.[\w-]*){0,2}|(?:\.[\w-]*)?$)/g,
  },
  { pattern: /((?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}))sk-(?=[\w-]{0,48}\d)[\w-]{8,}/g },
  {
    pattern:
      /()(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{8,}|xapp-[\w-]{8,}|A[KS]IA[0-9A-Z]{16}|AIza[\w-]{30,}|npm_[A-Za-z0-9]{30,}|ya29\.[\w-]{16,}|hf_[A-Za-z0-9]{20,}|[sr]k_(?:live|test)_[A-Za-z0-9]{8,}|SG\.[\w-]{16,}\.[\w-]{16,})/g,
  },
  {
    pattern: /(\bbearer(?:[ \t]|%20|\+){1,8})(?!\w{1,40}=["'\w])[\w.~+/=:-]{2,}/gi,
    accepts: (word) => !isProse(word),
  },
  // `basic authentication` is no credential; base64 of something with a colon is.
  {
    pattern: /(\bbasic(?:[ \t]|%20|\+){1,8})[\w+/-]{4,}={0,2}/gi,
    accepts: (word) => decodeBase64(word).includes(':'),
  },
  { pattern: /(:\/\/)[^\s/?#"'<>]{1,2000}(?=@)/g },
];

function findShape(text: string, { pattern, accepts }: Shape, spans: Span[]): void {
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const start = found.index + (found[1]?.length ?? 0);
    if (!accepts || accepts(text.slice(start, pattern.lastIndex))) spans.push([start, pattern.lastIndex]);
  }
}

/** A key whose end is missing goes on to the end of the text. */
function findPrivateKeys(text: string, spans: Span[]): void {
  const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/g;
  const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    end.lastIndex = begin.lastIndex;
    const stop = end.exec(text) ? end.lastIndex : text.length;
    spans.push([found.index, stop]);
    begin.lastIndex = stop;
  }
}
