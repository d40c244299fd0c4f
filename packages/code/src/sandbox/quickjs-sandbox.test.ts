import { createQuickJsSandbox } from './quickjs-sandbox.js';
import { testSandbox } from '../../test/sandbox/sandbox-contract.js';

testSandbox('QuickJS in this thread', () => createQuickJsSandbox({ threads: false }));
testSandbox('QuickJS in threads', () => createQuickJsSandbox());
