export { apiRequests } from './api-requests.js';
export { ejectOpenAPI } from './eject/eject-openapi.js';
export { fromOpenAPI } from './from-openapi.js';
export type {
  ApiBody,
  ApiHandler,
  ApiParameter,
  ApiProperty,
  ApiRequest,
  ApiScheme,
} from './api-requests.js';
export type { EjectOpenAPIOptions } from './eject/eject-openapi.js';
export type { SecurityScheme } from './request-plan.js';
export type {
  ApiCredential,
  ApiCredentials,
  ApiHeaders,
  SendOptions,
  SessionCredential,
} from './send/settings.js';
export type { FromOpenAPIOptions, OpenAPIOperation, OperationChanges } from './options.js';
