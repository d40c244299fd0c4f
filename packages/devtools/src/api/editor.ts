const schemes = ['cursor', 'windsurf', 'vscodium'] as const;

/** An editor that opens addresses such as `vscode://file/app/orders.ts:12:5`. */
export type EditorScheme = 'vscode' | 'zed' | (typeof schemes)[number];

/** The editor in whose terminal the server runs. Default: VS Code. */
export function editorOf({ ZED_TERM, VSCODE_GIT_ASKPASS_NODE = '' }: NodeJS.ProcessEnv): EditorScheme {
  if (ZED_TERM !== undefined) return 'zed';
  // Forks of VS Code set its variables, with the path of their own program.
  return schemes.find((scheme) => VSCODE_GIT_ASKPASS_NODE.toLowerCase().includes(scheme)) ?? 'vscode';
}
