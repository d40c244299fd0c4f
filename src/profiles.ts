/** `toolfold/profiles`: what each client accepts, and lowering of listed tools for a client. */
export { checkTools } from './profiles/check-tools.js';
export { lowerTool, lowerTools } from './profiles/lower-tool.js';
export { profileNames } from './profiles/profile.js';
export { profiles } from './profiles/rules/profiles.js';
export type {
  Arguments,
  Change,
  LoweredTool,
  LowerOptions,
  ProfileName,
  Violation,
} from './profiles/profile.js';
export type { Profile, ProfileRule } from './profiles/rules/profiles.js';
