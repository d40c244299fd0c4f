/** `@toolfold/testing`: a client, a clock and a description of the surface for the tests of a server. */
export { createClock } from './clock.js';
export type { TestClock } from './clock.js';
export { createTestClient } from './test-client/create-test-client.js';
export type { AskedQuestion, ElicitAnswer, SampleAnswer, TestAnswers } from './test-client/answers.js';
export type { TestClientOptions } from './test-client/options.js';
export type {
  StartedCall,
  StartedTask,
  TestCallArguments,
  TestCallName,
  TestCallOptions,
  TestClient,
  TestLog,
  TestResult,
} from './test-client/typed-client.js';
export type { TestProgress } from './test-client/test-call.js';
export type { TaskState } from './test-client/test-task.js';
export { describeSurface } from './surface.js';
export type { SurfaceSource } from './surface.js';
