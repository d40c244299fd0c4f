import type { AnyRegistry, View } from 'toolfold';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { CodeSettings } from './code-settings.js';
import type { ToolPaths } from './tool-paths.js';

export interface CodeForm {
  readonly registry: AnyRegistry;
  /** The view with the tools that code calls, with the names and schemas of their authors. */
  readonly inner: View;
  readonly paths: ToolPaths;
  readonly settings: CodeSettings;
  readonly sandbox: Sandbox;
}
