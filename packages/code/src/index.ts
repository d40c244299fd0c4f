/** `@toolfold/code`: the sandbox of the code form, and the interface for other sandboxes. */
export { codeForm } from './form/code-form.js';
export { createQuickJsSandbox } from './sandbox/quickjs-sandbox.js';
export { defaultCodeLimits } from './sandbox/sandbox.js';
export type { QuickJsSandboxOptions } from './sandbox/quickjs-sandbox.js';
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
} from './sandbox/sandbox.js';
export type { CodeSettings } from './form/code-settings.js';
