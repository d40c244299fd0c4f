/** The types of the public API that hold options. */
import { basesOf, readEntries, unexported } from '../../scripts/docs-api.js';
import type { Declaration } from '../../scripts/docs-read-declarations.js';
import type { Member } from '../../scripts/docs-read-members.js';

const OPTIONS = /(Options|Config|Settings|Policy|Limits?|Rule|Init|Definition)$/;
const exported = new Set(readEntries().flatMap(({ exports }) => [...exports.values()]));

export const publicTypes: readonly Declaration[] = [
  ...new Set([...exported, ...unexported(exported).keys()]),
];

/** Types with optional fields, or with a name that says so. */
export const optionTypes = publicTypes.filter(
  ({ kind, name, members }) =>
    ['interface', 'type'].includes(kind) &&
    (OPTIONS.test(name) || members.some(({ isOptional }) => isOptional)),
);

/** The members of a declaration and of its bases. */
export const membersOf = (declaration: Declaration): readonly Member[] => [
  ...declaration.members,
  ...basesOf(declaration).flatMap(membersOf),
];

/** Types with optional fields that nobody passes as options. */
export const notOptions: Readonly<Record<string, string>> = {
  'the identity of a caller, which is compared with the accessors of its class': 'Caller CallerAuth AuthInfo',
  'services, whose methods are called':
    'Store Shared RateLimiter SessionStore Sandbox SandboxRun Authenticator AskClient AnyRegistry CompilableTool Form ModuleAdapter ModuleLoader View',
  'made by Toolfold':
    'RegisteredDefinition GroupedActions Passed ReadSchema SandboxStart SharedEvent CallRecord FailedCall SecuredCall ToolContext RunFailure SandboxStep UpstreamHealth UpstreamToolDefinition McpToolDefinition LoweredTool ProfileRule ExplainedTool FusedQuery RankerOptions TestLog TestProgress TaskState ResolvedContext ToolsetSummary ViewGroup GroupTree TreeTool SchemaInput DescriptionInput SessionRecord SessionConfig ToolsetTexts Change Finding',
  'sent over MCP or made by handlers':
    'SamplingAnswer GetPromptResult ReadResourceResult CallToolResult CompletionRequest Icon McpItem McpPrompt McpPromptArgument McpResource McpResourceTemplate McpTool McpToolAnnotations Annotations ToolExecution ToolResultContent Rejection ResourceMetadata ToolSearchDocument',
  'requests, of which the registry rejects instances': 'ExecuteRequest RequestOptions',
  'made by forms': 'FormTools ForwardedCall ForwardingTool',
  'types without a value at run time': 'Passed GroupedActions',
  'made in handlers for each call, with the arguments of the caller': 'PageRequest',
  'read by the forms of other packages': 'FormSettings NamedFormSettings',
};

export const wordsOf = (lists: readonly string[]): string[] =>
  lists.flatMap((list) => list.split(' ')).filter((word) => word !== '');
