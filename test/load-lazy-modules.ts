/* oxlint-disable import/no-unassigned-import -- only loading them matters */
// Test files share their modules. A module that a server still loads when its test file ends fails to load, and then fails for all later files
// too. So the modules that servers load in the background are loaded first.
import '@toolfold/code';
import '@toolfold/search';
import '../packages/code/src/sandbox/open-quickjs.js';
import '../packages/code/src/sandbox/quickjs/quickjs-run.js';
import '../packages/schema/src/patterns/linear-engine.js';
import '../packages/schema/src/validate/generate-validator.js';
import '../packages/search/src/form/open-search.js';
import '../packages/toolfold/src/engine/describe-fault.js';
import '../packages/toolfold/src/registry/run-typed-call.js';
import '../packages/toolfold/src/serve/sdk-parts.js';
