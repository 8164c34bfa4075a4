import type { components, operations, webhooks } from './openapi.ts';

type Schemas = components['schemas'];
type Query<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;

export type Payment = Schemas['Payment'];
/** A payment that was just created. Redirect the customer's browser to `checkoutUrl` exactly as returned. */
export type CreatedPayment = Schemas['CreationResult'];
export type Checkout = Schemas['Checkout'];
export type CheckoutState = Schemas['CheckoutState'];
export type AttemptResult = Schemas['AttemptResult'];
export type Timeline = Schemas['Timeline'];
export type PaymentLink = Schemas['PaymentLink'];
export type Refund = Schemas['Refund'];
export type Dispute = Schemas['Dispute'];
export type Movement = Schemas['Movement'];
export type ApiRequest = Schemas['ApiRequest'];
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
export type WebhookEndpointWithSecret = Schemas['WebhookEndpointWithSecret'];
export type DeletedEndpoint = Schemas['DeletedEndpoint'];
export type Delivery = Schemas['Delivery'];
export type Replay = Schemas['Replay'];
export type Redelivery = Schemas['Redelivery'];
export type AuditHead = Schemas['AuditHead'];
export type Branding = Schemas['Branding'];
export type ClearedBranding = Schemas['ClearedBranding'];
export type FaultOrdered = Schemas['SandboxFaultOrdered'];

export type PaymentStatus = Schemas['PaymentStatus'];
export type CheckoutStatus = Schemas['CheckoutStatus'];
export type TerminalReason = Schemas['TerminalReason'];
export type RefundStatus = Schemas['RefundStatus'];
export type DisputeStatus = Schemas['DisputeStatus'];
export type Environment = Schemas['Environment'];
/** The codes that are known. New ones may appear. */
export type ErrorCode = Schemas['ErrorCode'];

export type NumberedMeta = Schemas['ListMeta'];
export type CursorMeta = Schemas['CursorMeta'];

export type PaymentCreateParams = Schemas['CreatePayment'];
export type PaymentListParams = Query<'listPayments'>;
export type PaymentRetrieveParams = Query<'retrievePayment'>;
export type PaymentSearchParams = Query<'searchPayments'>;
export type StatusParams = Query<'retrieveStatus'>;
export type TimelineParams = Query<'retrieveTimeline'>;
export type PaymentLinkCreateParams = Schemas['CreatePaymentLink'];
export type PaymentLinkListParams = Query<'listPaymentLinks'>;
export type PaymentLinkUpdateParams = Schemas['ChangePaymentLink'];
export type RefundCreateParams = Schemas['CreateRefund'];
export type RefundListParams = Query<'listRefunds'>;
export type DisputeListParams = Query<'listDisputes'>;
export type RequestListParams = Query<'listRequests'>;
export type MovementListParams = Query<'listMovements'>;
export type EvidenceParams = Schemas['StageEvidence'];
export type EndpointListParams = Query<'listWebhookEndpoints'>;
export type EndpointCreateParams = Schemas['CreateWebhookEndpoint'];
export type EndpointUpdateParams = Schemas['ChangeWebhookEndpoint'];
export type DeliveryListParams = Query<'listDeliveries'>;
export type ReplayParams = Schemas['ReplayEvents'];
export type EventListParams = Query<'listEvents'>;
export type RedeliverParams = Schemas['RedeliverEvent'];
export type BrandingUpdateParams = Schemas['ChangeBranding'];
export type SandboxOutcomeParams = Schemas['SandboxOutcome'];
export type SandboxChallengeParams = Schemas['SandboxChallenge'];
export type SandboxClockParams = Schemas['SandboxClock'];
export type SandboxDisputeParams = Schemas['SandboxDispute'];
export type SandboxResolveParams = Schemas['SandboxResolve'];
export type SandboxRefundParams = Schemas['SandboxRefund'];
export type SandboxFaultParams = Schemas['SandboxFault'];

/** What `pay` takes: the answer of the vault. A secret of your backend; store it encrypted before you pay. */
export type CaptureCard = Schemas['Pay'];

/**
 * Something that happened, by `type`. The types are those that this version knows; a delivery may have a
 * newer one, so end a `switch` with `default`.
 */
export type Event = {
  [Type in keyof webhooks]: webhooks[Type]['post']['requestBody']['content']['application/json'];
}[keyof webhooks];

/** The types of events that this version knows. */
export type EventType = Event['type'];
