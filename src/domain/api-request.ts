import type { Environment } from './statuses.ts';

/** One call of a merchant's key, as the request log keeps it. Nothing that was sent or answered is in it. */
export interface ApiRequest {
  /** Its `Request-Id`: a UUID of version 7. */
  id: string;
  merchantId: string;
  environment: Environment;
  /** When it arrived. */
  at: Date;
  method: string;
  /** The route's template, such as `/v1/payments/:id/pay`; empty where the path is none of the API's. */
  route: string;
  status: number;
  /** Of a refusal. */
  errorCode: string | null;
  /** Until it was answered. */
  ms: number;
  keyId: string;
  /** The payment that the path names or the answer is about, as far as either says. */
  paymentId: string | null;
}
