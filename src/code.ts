/** `toolfold/code`: the sandbox of the code form, and the interface for other sandboxes. */
export { createQuickJsSandbox } from './code/sandbox/quickjs-sandbox.js';
export { defaultCodeLimits } from './code/sandbox/sandbox.js';
export type { QuickJsSandboxOptions } from './code/sandbox/quickjs-sandbox.js';
export type {
  CodeLimits,
  GuestCall,
  GuestError,
  RunFailure,
  RunOutcome,
  Sandbox,
  SandboxRun,
  SandboxStart,
  SandboxStep,
  SettledCall,
} from './code/sandbox/sandbox.js';
export type { CodeSettings } from './code/form/code-settings.js';
