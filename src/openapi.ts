export { apiRequests } from './openapi/api-requests.js';
export { ejectOpenAPI } from './openapi/eject/eject-openapi.js';
export { fromOpenAPI } from './openapi/from-openapi.js';
export type {
  ApiBody,
  ApiHandler,
  ApiParameter,
  ApiProperty,
  ApiRequest,
  ApiScheme,
} from './openapi/api-requests.js';
export type { EjectOpenAPIOptions } from './openapi/eject/eject-openapi.js';
export type { SecurityScheme } from './openapi/request-plan.js';
export type {
  ApiCredential,
  ApiCredentials,
  ApiHeaders,
  SendOptions,
  SessionCredential,
} from './openapi/send/settings.js';
export type { FromOpenAPIOptions, OpenAPIOperation, OperationChanges } from './openapi/options.js';
