export { CardPayments } from './client.ts';
export { CardPayments as default } from './client.ts';
export type { ClientOptions, Fetch, RequestEvent, ResponseEvent } from './settings.ts';
export type { KeyedOptions, RequestOptions } from './transport.ts';
export { Answer, type WithResponse } from './answer.ts';
export { List, Page, type PageMeta } from './page.ts';
export type { OncePayment } from './resources/payments.ts';
export type { CardFields } from './vault.ts';
export { type WebhookHeaders, verifyWebhook } from './webhooks.ts';
export {
  APIAbortError,
  APIConnectionError,
  APIError,
  type APIErrorDetails,
  APITimeoutError,
  AuthenticationError,
  CardPaymentsError,
  ConfigurationError,
  ConflictError,
  GoneError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  type Recovery,
  ServiceUnavailableError,
  ValidationError,
  WebhookVerificationError,
} from './errors.ts';
export type * from './outcome.ts';
export type * from './types.ts';
