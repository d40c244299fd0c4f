import { isLoggingLevel } from '../protocol/log-levels.js';
import { isJsonObject } from '../values/json-value.js';
import type { SessionRecord } from '../stores/session-store.js';

const isText = (value: unknown): boolean => typeof value === 'string';

const isOptionalText = (value: unknown): boolean => value === undefined || isText(value);

const isOptionalTexts = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every(isText));

/** What each field must be. A record that comes from elsewhere has these and no others. */
const fields: Readonly<Record<keyof SessionRecord, (value: unknown) => boolean>> = {
  id: isText,
  owner: isText,
  caller: isText,
  clientId: isOptionalText,
  context: isOptionalText,
  protocolVersion: isText,
  client: (value) => isJsonObject(value) && isText(value['name']) && isText(value['version']),
  capabilities: isJsonObject,
  logLevel: (value) => value === undefined || isLoggingLevel(value),
  toolsets: isOptionalTexts,
  subscriptions: isOptionalTexts,
};

/** A record as a store holds it, for the id that it was asked for; `undefined` where it is none. */
export function readSession(id: string, text: string): SessionRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const record: Record<string, unknown> = { ...value, id };
  const isKnown = Object.keys(record).every((name) => Object.hasOwn(fields, name));
  const isWhole = Object.entries(fields).every(([name, isRight]) => isRight(record[name]));
  return isKnown && isWhole ? (record as unknown as SessionRecord) : undefined;
}

/** The same as text, without the id: whoever reads a store is not to use the sessions in it. */
export function writeSession(session: SessionRecord): string {
  return JSON.stringify({ ...session, id: undefined });
}
