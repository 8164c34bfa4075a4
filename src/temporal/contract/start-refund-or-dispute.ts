import type { Environment } from '../../domain/statuses.ts';
import type { DisputeWorkflowInput } from './dispute.ts';
import { disputeWorkflowId, refundWorkflowId } from './ids.ts';
import type { RefundWorkflowInput } from './refund.ts';
import { moneyAttributes } from './search-attribute-keys.ts';

/** The facts of a refund or dispute that search attributes and summaries show. `amountCents`: US cents. */
interface OwnedAmount {
  merchantId: string;
  environment: Environment;
  amountCents: number;
}

/** The fields of a refund that starting its workflow needs. `submitAfterMs`: epoch ms. */
export interface StartableRefund extends OwnedAmount {
  id: string;
  submitAfterMs: number;
}

/** The fields of a dispute that starting its workflow needs; `reference` is the network's id. */
export interface StartableDispute extends OwnedAmount {
  id: string;
  reference: string;
  /** The connector of its payment; null: the simulators. */
  connectorId: string | null;
}

/** Returns the start options of a refund's workflow, without queue and policies. */
export function refundStart(refund: StartableRefund, eventIds: string[]) {
  const input: RefundWorkflowInput = { refundId: refund.id, submitAtMs: refund.submitAfterMs, eventIds };
  return {
    workflowId: refundWorkflowId(refund.id),
    args: [input] as [RefundWorkflowInput],
    typedSearchAttributes: moneyAttributes(refund),
    staticSummary: `refund · ${summary(refund)}`,
  };
}

/** Returns the start options of a dispute's workflow, without queue and policies. */
export function disputeStart(dispute: StartableDispute) {
  const { id: disputeId, reference, connectorId, environment } = dispute;
  const input: DisputeWorkflowInput = { disputeId, reference, connectorId, environment };
  return {
    workflowId: disputeWorkflowId(dispute.id),
    args: [input] as [DisputeWorkflowInput],
    typedSearchAttributes: moneyAttributes(dispute),
    staticSummary: `dispute · ${summary(dispute)}`,
  };
}

const summary = ({ amountCents, environment }: OwnedAmount): string =>
  `USD ${(amountCents / 100).toFixed(2)} · ${environment}`;
