import type { RequestOptions } from '../../engine/request.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import type { SearchEntries, SearchEntry } from '../../search/form/entries.js';
import type { View } from '../../views/view.js';
import type { CodeSettings } from './code-settings.js';
import type { ToolPaths } from './tool-paths.js';

/** The tools that code of a view can call, and the settings of its runs. */
export interface CodeForm {
  readonly registry: AnyRegistry;
  /** The view with the tools that code calls, with the names and schemas of their authors. */
  readonly inner: View;
  readonly entries: SearchEntries;
  readonly paths: ToolPaths;
  readonly settings: CodeSettings;
  /** The `onResult` of a call, if the search learns from calls. */
  readonly learnFrom?: ((entry: SearchEntry) => LearnFromResult) | undefined;
}

/** Learns from the result of a call. */
type LearnFromResult = (result: CallToolResult, request: RequestOptions) => void;
