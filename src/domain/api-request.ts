import type { Environment } from './statuses.ts';

/** One call with a merchant's key, as the request log stores it: without the bodies of request and answer. */
export interface ApiRequest {
  /** Its `Request-Id`: a UUID of version 7. */
  id: string;
  merchantId: string;
  environment: Environment;
  /** When it arrived. */
  at: Date;
  method: string;
  /** The route's template, such as `/v1/payments/:id/pay`; empty for a path that is not in the API. */
  route: string;
  status: number;
  /** The code of a refusal; null for any other response. */
  errorCode: string | null;
  /** From the request to its response. */
  ms: number;
  keyId: string;
  /** The payment that the path or the response names; null when neither does. */
  paymentId: string | null;
}
