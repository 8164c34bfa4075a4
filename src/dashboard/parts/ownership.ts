import { findDispute } from '../../db/disputes/dispute-reads.ts';
import { findEvent, isEventId } from '../../db/webhooks/events.ts';
import { findSessionOf } from '../../db/members/member-sessions.ts';
import { findMember } from '../../db/members/members.ts';
import { findLinkId } from '../../db/payment-links/payment-links.ts';
import { findTenantKey } from '../../db/merchants/merchant-keys.ts';
import { findPayment, type Tenant } from '../../db/payments/payments.ts';
import { findInvitation } from '../../db/members/invitations.ts';
import { findRefund } from '../../db/refunds/refund-reads.ts';
import { findEndpoint } from '../../db/webhooks/endpoints.ts';
import type { Queryable } from '../../db/server/database.ts';
import { isUuid } from '../../http/request.ts';
import type { Owned } from '../route.ts';

type Find = (database: Queryable, tenant: Tenant, id: string) => Promise<unknown>;

const finds: Readonly<Record<Owned, { isId: (text: string) => boolean; find: Find }>> = {
  payment: { isId: isUuid, find: findPayment },
  refund: { isId: isUuid, find: findRefund },
  dispute: { isId: isUuid, find: findDispute },
  link: { isId: isUuid, find: findLinkId },
  endpoint: { isId: isUuid, find: findEndpoint },
  event: { isId: isEventId, find: findEvent },
  key: { isId: (text) => /^[0-9A-Za-z]{8}$/.test(text), find: findTenantKey },
  member: { isId: isUuid, find: (database, { merchantId }, id) => findMember(database, merchantId, id) },
  invitation: {
    isId: isUuid,
    find: (database, { merchantId }, id) => findInvitation(database, merchantId, id),
  },
  session: { isId: isUuid, find: (database, { merchantId }, id) => findSessionOf(database, merchantId, id) },
};

/**
 * Returns whether an object belongs to the tenant, using the tenant's reads. Malformed ids, unknown ids and
 * those of other merchants or the other environment are not distinguished.
 */
export async function belongsToTenant(
  database: Queryable,
  tenant: Tenant,
  kind: Owned,
  id: string,
): Promise<boolean> {
  const { isId, find } = finds[kind];
  return isId(id) && (await find(database, tenant, id)) !== null;
}
