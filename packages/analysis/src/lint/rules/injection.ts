import { at } from '../finding.js';
import type { Fault, Item, LintRule, Surface } from '../finding.js';
import { hasDefinitions } from '../finding.js';
import { findHidden, readTags } from '../hidden-characters.js';
import { textsOf } from '../tool-parts.js';
import type { ToolText } from '../tool-parts.js';

/** Yields the texts of all items, and the texts of grouped tools that their actions do not repeat. */
function* allTexts({ items, tools }: Surface): Generator<readonly [Pick<Item, 'tool' | 'action'>, ToolText]> {
  const known = new Set<string>();
  for (const item of items)
    for (const text of textsOf(item)) {
      if (item.action !== undefined) known.add(text.text);
      yield [item, text];
    }
  for (const listed of tools) {
    const { tool, actions } = listed;
    if (!hasDefinitions(listed)) continue;
    yield [{ tool: tool.name }, { pointer: '/name', text: tool.name, isProse: false }];
    // The description of a grouped tool begins with the author's text; the rest repeats its groups and actions.
    const own = tool.description?.split(/\. Modules?: |\n/)[0] ?? '';
    const groups = new Set(actions.flatMap(({ group }) => group?.description ?? []));
    for (const text of [own, ...groups])
      if (!known.has(text)) yield [{ tool: tool.name }, { pointer: '/description', text, isProse: true }];
  }
}

function* findHiddenCharacters(surface: Surface): Generator<Fault> {
  for (const [item, { pointer, text }] of allTexts(surface)) {
    const hidden = findHidden(text);
    const [first] = hidden;
    if (!first) continue;
    const spelled = readTags(text);
    const codes = [
      ...new Set(hidden.map(({ code }) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`)),
    ];
    yield {
      ...at(item, pointer),
      reason: `The text has ${hidden.length} invisible ${hidden.length === 1 ? 'character' : 'characters'} (${codes.slice(0, 4).join(', ')}${codes.length > 4 ? ', …' : ''}) that models read and people do not see${spelled === '' ? '' : `. They spell ${JSON.stringify(spelled.slice(0, 80))}`}.`,
    };
  }
}

/** All quantifiers are bounded, so that matching takes linear time. */
const injections: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:ignore|disregard|forget|override|bypass)\s{1,4}(?:(?:all|any|every|the|your|my|these|those|of)\s{1,4}){0,4}(?:previous|prior|above|earlier|preceding|other|existing|system|original|safety)\s{1,4}(?:\w{1,20}\s{1,4})?(?:instructions?|prompts?|rules?|messages?|guidelines?|directions?|commands?|policies|policy|context)\b/i,
    'tells the model to ignore its instructions',
  ],
  [
    /\b(?:do not|don't|dont|never|must not|should not|without|avoid)\s{1,4}(?:ever\s{1,4})?(?:tell|telling|inform|informing|mention|mentioning|notify|notifying|reveal|revealing|alert|alerting|disclose|disclosing)\b[^.\n]{0,60}\b(?:the\s{1,4}|to\s{1,4}the\s{1,4})?(?:user|human|person|anyone)\b/i,
    'tells the model to hide something from the user',
  ],
  [
    /\bwithout\s{1,4}(?:the\s{1,4})?(?:user'?s?|human'?s?)\s{1,4}(?:knowing|noticing|knowledge|awareness)\b|\b(?:secretly|covertly|stealthily)\s{1,4}\w{1,20}/i,
    'tells the model to act in secret',
  ],
  [
    /<\/?(?:important|system|instructions?|secret|admin|hidden|s)>|<\|(?:im_start|im_end|system|endoftext)\|>|\[\/?INST\]|<<SYS>>|\[system\](?!\()|^\s{0,8}(?:system|assistant)\s{0,4}:\s{0,4}(?:you|ignore|do|always|never)\b/im,
    'uses markers of a system prompt',
  ],
  [
    /\byou\s{1,4}are\s{1,4}now\s{1,4}(?:a|an|the|in|no\s{1,4}longer)\b|\bnew\s{1,4}(?:system\s{1,4})?instructions?\s{0,4}:|\breveal\s{1,4}(?:your|the)\s{1,4}system\s{1,4}prompt\b/i,
    'gives the model a new role or new instructions',
  ],
  [
    /\b(?:read|cat|open|send|include|attach|upload|copy|pass|append|exfiltrate|fetch)\b[^.\n]{0,80}(?:~\/\.(?:ssh|aws|cursor|config|netrc|gnupg)|\bid_rsa\b|\bid_ed25519\b|\/etc\/(?:passwd|shadow)\b|\.env\b(?!\.example)|\bmcp\.json\b|\bprivate\s{1,4}keys?\b)/i,
    'tells the model to read secrets',
  ],
  [
    /\b(?:send|post|forward|upload|transmit|exfiltrate|report|bcc)\b[^.\n]{0,80}\b(?:conversation|chat\s{1,4}history|system\s{1,4}prompt|credentials|passwords?|api\s{1,4}keys?|secrets?|all\s{1,4}(?:data|files|messages|emails?))\b[^.\n]{0,60}\b(?:to|at)\s{1,4}(?:https?:\/\/|[\w.+-]{1,64}@|\+?\d{6})/i,
    'tells the model to send data elsewhere',
  ],
];

const MAX_TEXT = 100_000;

function* findInjections(surface: Surface): Generator<Fault> {
  for (const [item, { pointer, text }] of allTexts(surface)) {
    const shown = text.slice(0, MAX_TEXT);
    for (const [pattern, meaning] of injections) {
      const found = pattern.exec(shown)?.[0];
      if (found === undefined) continue;
      yield {
        ...at(item, pointer),
        reason: `The text ${meaning}: ${JSON.stringify(found.trim().slice(0, 100))}.`,
      };
      break;
    }
  }
}

const precedence =
  /\b(?:before|prior\s{1,4}to|instead\s{1,4}of)\s{1,4}(?:using|calling|running|invoking|executing|answering|responding|replying)?\s{0,4}(?:to\s{1,4})?(?:with\s{1,4})?(?:any|all|every|each)\s{1,4}(?:other\s{1,4})?(?:tools?|functions?|requests?|questions?|messages?|responses?|prompts?)\b|\b(?:always|must)\s{1,4}(?:use|call|run|invoke)\s{1,4}this\s{1,4}tool\s{1,4}(?:first|before\s{1,4}any(?:thing)?)\b|\bwhen(?:ever)?\s{1,4}(?:any|every|each|another)\s{1,4}(?:other\s{1,4})?tools?\s{1,4}(?:is|are)\s{1,4}(?:called|used|run|invoked)\b/i;

function* findPrecedence(surface: Surface): Generator<Fault> {
  for (const [item, { pointer, text, isProse }] of allTexts(surface)) {
    const found = isProse ? precedence.exec(text.slice(0, MAX_TEXT))?.[0] : undefined;
    if (found !== undefined)
      yield {
        ...at(item, pointer),
        reason: `The text gives orders about the tools of other servers: ${JSON.stringify(found.trim().slice(0, 100))}.`,
      };
  }
}

/** Matches long runs of base64. Requires mixed case and digits, so that words and numbers do not match. */
const blob = /[A-Za-z0-9+/]{100,}={0,2}/g;

function* findHiddenText(surface: Surface): Generator<Fault> {
  for (const [item, { pointer, text, isProse }] of allTexts(surface)) {
    const shown = text.slice(0, MAX_TEXT);
    const comment = isProse ? hiddenMarkup(shown) : undefined;
    if (comment !== undefined)
      yield {
        ...at(item, pointer),
        reason: `The text has ${comment}, which people do not see where it is rendered, but models read.`,
      };
    const data = isProse
      ? shown.match(blob)?.find((run) => /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run))
      : undefined;
    if (data !== undefined)
      yield {
        ...at(item, pointer),
        reason: `The text has ${data.length} characters that look like base64, which people cannot read, but models can.`,
      };
  }
}

function hiddenMarkup(text: string): string | undefined {
  if (text.includes('<!--')) return 'an HTML comment';
  if (/^\[\/\/\]: ?#/m.test(text)) return 'a Markdown comment';
  if (/[ \t\u00a0]{80}|\n{15}/.test(text)) return 'a gap that pushes the rest out of sight';
  return /style\s{0,4}=\s{0,4}["'][^"']{0,80}(?:display\s{0,4}:\s{0,4}none|font-size\s{0,4}:\s{0,4}0|visibility\s{0,4}:\s{0,4}hidden)/i.test(
    text,
  )
    ? 'hidden HTML'
    : undefined;
}

const poisoning = {
  source: 'https://invariantlabs.ai/blog/mcp-security-notification-tool-poisoning-attacks',
  date: '2025-04',
} as const;

export const injectionRules: readonly LintRule[] = [
  {
    id: 'hidden-characters',
    severity: 'error',
    summary:
      'A name, description or value has invisible characters: zero-width, direction, tag or control characters.',
    fix: 'Remove them.',
    source: 'https://embracethered.com/blog/posts/2025/model-context-protocol-security-risks-and-exploits/',
    date: '2025-05',
    isFixable: true,
    check: findHiddenCharacters,
  },
  {
    id: 'prompt-injection',
    severity: 'error',
    summary:
      'A text looks like a prompt injection: it overrides instructions, hides actions from the user, or reads secrets.',
    fix: 'Describe the tool only. Do not use a server whose tools say this.',
    ...poisoning,
    check: findInjections,
  },
  {
    id: 'tool-precedence',
    severity: 'warning',
    summary: 'A text tells the model to call the tool before all others, or when any other tool is called.',
    fix: 'Say when the tool is useful instead.',
    ...poisoning,
    check: findPrecedence,
  },
  {
    id: 'hidden-text',
    severity: 'warning',
    summary: 'A text has HTML comments, hidden HTML, base64, or a gap that pushes the rest out of sight.',
    fix: 'Remove it, or write it as plain text.',
    ...poisoning,
    isFixable: true,
    check: findHiddenText,
  },
];
