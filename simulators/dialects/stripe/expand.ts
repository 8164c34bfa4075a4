import type { Caller } from './auth.ts';
import { badParameter } from './errors.ts';
import type { Ledger } from './ledger.ts';
import { payoutView } from './balance.ts';
import { type ApiObject, listView } from './views.ts';

type Fetch = (ledger: Ledger, caller: Caller, id: string) => ApiObject;

const intent: Fetch = (ledger, caller, id) => ledger.showIntent(ledger.intent(caller, id));
const charge: Fetch = (ledger, caller, id) => ledger.showCharge(ledger.charge(caller, id));
const method: Fetch = (ledger, caller, id) => ledger.showMethod(ledger.method(caller, id));

const showSource: Readonly<Record<string, Fetch>> = {
  ch: charge,
  re: (ledger, caller, id) => ledger.showRefund(ledger.refund(caller, id)),
  dp: (ledger, caller, id) => ledger.showDispute(ledger.dispute(caller, id)),
  po: (ledger, caller, id) => payoutView(ledger.payout(caller, id)),
};
const source: Fetch = (ledger, caller, id) => {
  const show = showSource[id.slice(0, 2)];
  if (!show) throw new Error('a source of an unknown kind');
  return show(ledger, caller, id);
};

/** Members that callers can request as whole objects, by the kind of object that has them. */
const EXPANDABLE: Readonly<Record<string, Readonly<Record<string, Fetch>>>> = {
  payment_intent: { latest_charge: charge, payment_method: method },
  charge: { payment_intent: intent },
  refund: { charge, payment_intent: intent },
  dispute: { charge, payment_intent: intent },
  balance_transaction: { source },
};
const MAX_DEPTH = 4;

/**
 * Returns `object` with the members that `paths` name (`latest_charge`, `latest_charge.refunds`, in lists
 * behind `data.`) expanded to whole objects. Throws 400 for a path that does not exist.
 */
export function expanded(
  ledger: Ledger,
  caller: Caller,
  object: ApiObject,
  paths: readonly string[],
): ApiObject {
  return paths.reduce((shown, path) => {
    const parts = path.split('.');
    if (parts.length > MAX_DEPTH) throw cannotExpand(path);
    return expandOne(ledger, caller, shown, parts, path);
  }, object);
}

function expandOne(
  ledger: Ledger,
  caller: Caller,
  object: ApiObject,
  [name = '', ...rest]: string[],
  path: string,
): ApiObject {
  if (object['object'] === 'list') {
    if (name !== 'data' || rest.length === 0) throw cannotExpand(path);
    const data = (object['data'] as ApiObject[]).map((item) => expandOne(ledger, caller, item, rest, path));
    return { ...object, data };
  }
  const value = valueOf(ledger, caller, object, name, path);
  if (value === null || rest.length === 0) return { ...object, [name]: value };
  return { ...object, [name]: expandOne(ledger, caller, value, rest, path) };
}

function valueOf(
  ledger: Ledger,
  caller: Caller,
  object: ApiObject,
  name: string,
  path: string,
): ApiObject | null {
  const kind = String(object['object']);
  if (kind === 'charge' && name === 'refunds') {
    const id = String(object['id']);
    const refunds = ledger.refundsOf(id).map((refund) => ledger.showRefund(refund));
    return listView(`/v1/charges/${id}/refunds`, refunds.toReversed(), false);
  }
  const fetch = EXPANDABLE[kind]?.[name];
  const value = object[name];
  if (!fetch || value === undefined) throw cannotExpand(path);
  if (value === null) return null;
  return typeof value === 'string' ? fetch(ledger, caller, value) : (value as ApiObject);
}

const cannotExpand = (path: string) => badParameter('expand', `This property cannot be expanded (${path}).`);
