import { deliveryStatuses } from '../../db/webhooks/deliveries.ts';
import { disputeResolutions, disputeStages, disputeStatuses } from '../../domain/dispute.ts';
import { movementTypes } from '../../domain/movement.ts';
import { refundReasons, refundStatuses } from '../../domain/refund.ts';
import { isRefusalCode, refusals } from '../../domain/refusals.ts';
import {
  checkoutModes,
  checkoutStatuses,
  environments,
  localeChoices,
  paymentMethods,
  paymentStatuses,
  terminalReasons,
} from '../../domain/statuses.ts';
import { awaitedParties } from '../../domain/waiting.ts';
import { commonFaultModes, faultModes, faultTargets } from '../../operations/sandbox/faults.ts';

/**
 * The names of the document's enumerations. A list of words has one name wherever it occurs, so that
 * generators make one type of it, and not two for fields with the same name.
 */
export const enumNames: Readonly<Record<string, readonly string[]>> = {
  PaymentStatus: paymentStatuses,
  CheckoutStatus: checkoutStatuses,
  TerminalReason: terminalReasons,
  PaymentMethod: paymentMethods,
  Environment: environments,
  CheckoutMode: checkoutModes,
  Locale: localeChoices,
  RefundStatus: refundStatuses,
  RefundReason: refundReasons,
  DisputeStatus: disputeStatuses,
  DisputeStage: disputeStages,
  DisputeResolution: disputeResolutions,
  MovementType: movementTypes,
  DeliveryStatus: deliveryStatuses,
  EndpointStatus: ['enabled', 'disabled'],
  WaitingParty: awaitedParties,
  FaultTarget: faultTargets,
  FaultMode: commonFaultModes,
  NetworkFaultMode: faultModes,
  ErrorCode: Object.keys(refusals).filter(isRefusalCode),
};

const nameByWords = new Map(Object.entries(enumNames).map(([name, words]) => [words.join(' '), name]));

/** Returns the name of an enumeration; undefined for one that only a single field has. */
export const enumNameOf = (words: readonly unknown[]): string | undefined => nameByWords.get(words.join(' '));
