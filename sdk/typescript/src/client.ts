import { Audit } from './resources/audit.ts';
import { Branding } from './resources/branding.ts';
import { Disputes } from './resources/disputes.ts';
import { Events } from './resources/events.ts';
import { Movements } from './resources/movements.ts';
import { PaymentLinks } from './resources/payment-links.ts';
import { Payments } from './resources/payments.ts';
import { Refunds } from './resources/refunds.ts';
import { Requests } from './resources/requests.ts';
import { Sandbox } from './resources/sandbox.ts';
import { WebhookEndpoints } from './resources/webhook-endpoints.ts';
import { type ClientOptions, readSettings } from './settings.ts';
import { Transport } from './transport.ts';
import { Vault } from './vault.ts';
import { Webhooks } from './webhooks.ts';

/**
 * A client of the payment service, for a backend: one key, one environment. It keeps no state of payments, so
 * any number of clients may run at once.
 */
export class CardPayments {
  readonly payments: Payments;
  readonly paymentLinks: PaymentLinks;
  readonly refunds: Refunds;
  readonly disputes: Disputes;
  readonly movements: Movements;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly events: Events;
  readonly requests: Requests;
  readonly audit: Audit;
  readonly branding: Branding;
  readonly sandbox: Sandbox;
  readonly vault: Vault;
  readonly webhooks: Webhooks;

  /** Throws ConfigurationError when the key or the address is missing or cannot be used. */
  constructor(options: ClientOptions = {}) {
    const settings = readSettings(options);
    const transport = new Transport(settings);
    this.payments = new Payments(transport);
    this.paymentLinks = new PaymentLinks(transport);
    this.refunds = new Refunds(transport);
    this.disputes = new Disputes(transport);
    this.movements = new Movements(transport);
    this.webhookEndpoints = new WebhookEndpoints(transport);
    this.events = new Events(transport);
    this.requests = new Requests(transport);
    this.audit = new Audit(transport);
    this.branding = new Branding(transport);
    this.sandbox = new Sandbox(transport);
    this.vault = new Vault(settings);
    this.webhooks = new Webhooks();
  }
}
