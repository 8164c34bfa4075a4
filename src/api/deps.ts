import type { Logger } from 'pino';
import type { Database } from '../db/server/database.ts';
import type { TenantReads } from '../db/server/tenant-reads.ts';
import type { DeliveryWorkflows } from '../temporal/clients/deliveries.ts';
import type { DisputeWorkflows } from '../temporal/clients/disputes.ts';
import type { RefundWorkflows } from '../temporal/clients/refunds.ts';
import type { SandboxWorkflows } from '../temporal/clients/sandbox.ts';
import type { PaymentWorkflows } from '../temporal/clients/payments.ts';
import type { CreatePaymentDeps } from '../operations/payments/create-payment.ts';
import type { CaptureDeps } from '../operations/payments/prepare-capture.ts';
import type { IdentityProvider } from '../dashboard/sign-in/identity-provider.ts';
import type { KeyCache } from './http/authentication.ts';
import type { RateLimiter } from './http/rate-limits.ts';
import type { RequestLog } from './http/request-log.ts';

/** Everything the routes need, built once by `server.ts` or by a test. Instants in epoch ms. */
export interface ApiDeps extends CreatePaymentDeps, CaptureDeps {
  workflows: PaymentWorkflows;
  statusSource: 'workflow' | 'projection';
  database: Database;
  /** What merchants read goes through here: row-level security is the second net. */
  tenants: TenantReads;
  /** The same for lists, on connections of their own: slow lists keep no single read waiting. */
  lists: TenantReads;
  logger: Logger;
  keys: KeyCache;
  limiter: RateLimiter;
  requestLog: RequestLog;
  deliveries: DeliveryWorkflows;
  /** Where browsers reach the dashboard, without a slash at the end: passkeys belong to its host. */
  dashboardUrl: string;
  /** Where members may sign in beside the dashboard's own ways; null: nowhere. */
  identityProvider: IdentityProvider | null;
  production: boolean;
  refunds: RefundWorkflows;
  disputes: DisputeWorkflows;
  sandbox: SandboxWorkflows;
  /** How long a new refund waits before it is submitted, and may be canceled. */
  refundDelaySeconds: number;
  /** What each environment's simulated network signs with; null: it has none. */
  networkCallbackSecrets: { sandbox: string; live: string | null };
  /**
   * Whether failed keys from loopback addresses count; off in development, where all tools share one address.
   */
  countLoopbackFailures: boolean;
  /** Addresses and networks of proxies whose word on where a request came from is believed. */
  trustedProxies: readonly string[];
  /** Connections that are held open at once. */
  maxConnections: number;
}
