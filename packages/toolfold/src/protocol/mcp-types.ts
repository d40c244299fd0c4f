import type { McpItem } from '@toolfold/profiles';

/** The protocol revisions whose wire forms differ in Toolfold. */
export type ProtocolVersion = '2025-11-25' | '2026-07-28';

/** The first stateless revision of MCP. Earlier revisions have sessions. */
export const MODERN = '2026-07-28';

export function isModern(protocolVersion: string | undefined): boolean {
  return protocolVersion !== undefined && protocolVersion >= MODERN;
}

/** An argument of a prompt, as MCP writes it. */
export interface McpPromptArgument {
  /** Name for programs. */
  name: string;
  /** Name for people. */
  title?: string;
  /** Description of the value. */
  description?: string;
  /** Whether the client must provide a value. */
  required?: boolean;
}

/** A prompt in the result of `prompts/list`. */
export interface McpPrompt extends McpItem {
  /** Arguments of the prompt. */
  arguments?: McpPromptArgument[];
}

/** A resource in the result of `resources/list`. */
export interface McpResource extends McpItem {
  /** URI of the resource. */
  uri: string;
  /** MIME type of the contents. */
  mimeType?: string;
  /** Size in bytes, before any encoding. */
  size?: number;
  /** Audience, priority and time of the last change. */
  annotations?: Annotations;
}

/** A template in the result of `resources/templates/list`. */
export interface McpResourceTemplate extends McpItem {
  /** URI template (RFC 6570) of the resources. */
  uriTemplate: string;
  /** MIME type of the contents, if all resources of the template have the same. */
  mimeType?: string;
  /** Audience, priority and time of the last change. */
  annotations?: Annotations;
}

/** The speaker of a message, or the audience of content. */
export type Role = 'user' | 'assistant';

/** Audience, priority and time of the last change of content. */
export interface Annotations {
  /** Intended audience. */
  audience?: Role[];
  /** Importance from 0, optional, to 1, required. */
  priority?: number;
  /** Time of the last change, in ISO 8601. */
  lastModified?: string;
}

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** MCP's levels of log messages, from the least to the most severe. */
export type LoggingLevel = (typeof levels)[number];

export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return (levels as readonly unknown[]).includes(value);
}

/** Whether a client with this threshold gets messages of `level`. A client without a threshold gets all messages. */
export function isLogged(level: LoggingLevel, threshold: LoggingLevel | undefined): boolean {
  return threshold === undefined || levels.indexOf(level) >= levels.indexOf(threshold);
}
