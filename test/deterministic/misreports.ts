import type { Scheduler } from './scheduler.ts';

/** An answer of a server, and the parts of the request that say what it is about. */
interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}
interface Request {
  method: string;
  url: URL;
}

type Fields = Record<string, unknown>;

/** The kinds of misreports, as the line of faults names them, with the probability of each per answer. */
const shares = {
  'charge misreported': 0.03,
  'dispute misreported': 0.03,
  'list misreported': 0.4,
  'refund listed with more than was paid': 0.6,
} as const;

/** A charge is misreported in this many answers, from its first one on. */
const answersOfCharge = [1, 4] as const;

/** The networks that misreport. At Stripe a card's charge is answered through the vault's proxy. */
const networks: readonly string[] = ['network', 'stripe', 'pciVault'];

/** The kind of fault of a network whose lists do not answer, and the share of the seeds that have one. */
const outageKind = 'lists unavailable';
const outageShare = 0.12;

/** How long a reconciliation tries to read a list, in ms. */
const reconciliationGivesUpMs = 240_000;

/** What a charge shows instead of the truth: another amount, currency or object, or an unknown state. */
const falseCharges: readonly ((charge: Fields) => Fields)[] = [
  ({ amountCents }) => ({ amountCents: Number(amountCents) + 100 }),
  () => ({ currency: 'EUR' }),
  () => ({ status: 'settled_tomorrow' }),
  () => ({ action: { kind: 'fingerprint' } }),
  () => ({ key: 'another' }),
];
const falseIntents: readonly ((intent: Fields) => Fields)[] = [
  ({ amount }) => ({ amount: Number(amount) + 100, amount_received: Number(amount) + 100 }),
  () => ({ currency: 'eur' }),
  () => ({ status: 'requires_capture' }),
  () => ({ metadata: {} }),
];

/** What a dispute shows instead of the truth. A list names its payment in any case: it names each once. */
const falseDisputes: readonly Fields[] = [
  { status: 'escalated_twice' },
  { currency: 'EUR' },
  { reason: '' },
  { createdAt: '2090-01-01T00:00:00.000Z' },
];
const falseOwner: Fields = { paymentId: '00000000-0000-4000-8000-000000000000' };
const falseStripeDisputes: readonly Fields[] = [
  { status: 'escalated_twice' },
  { currency: 'eur' },
  { reason: '' },
  { payment_intent: null },
];

/** What an entry of a list shows instead of the truth. */
const anotherAmount = ({ amountCents }: Fields): Fields => ({
  amountCents: Number(amountCents) + 1_000_000,
});
const unreadableEntries: readonly ((entry: Fields) => Fields)[] = [
  () => ({ amountCents: 'none' }),
  () => ({ currency: 'EUR' }),
  () => ({ status: 'settled_tomorrow' }),
];

/**
 * A network that sometimes contradicts what it was asked for, or says what this version does not understand.
 * Its ledger stays true, and so do its answers once the faults are over.
 */
export class Misreports {
  readonly #scheduler: () => Scheduler;
  /** The charges that are misreported, by their keys or objects, and in how many further answers. */
  readonly #charges = new Map<string, { shown: Fields; left: number }>();
  /** Whether lists show the true amounts, because what is restored from them has no other source. */
  hasTrueAmounts = false;
  /** The cursor of a page that follows itself. */
  #repeated: string | null = null;
  /**
   * Whether its lists may be away: where webhooks are lost too, nothing else would find a late capture before
   * the comparison of the next night.
   */
  mayHaveOutage = true;
  /** Whether the network's lists do not answer. */
  #listsAreDown: boolean | null = null;

  constructor(scheduler: () => Scheduler) {
    this.#scheduler = scheduler;
  }

  /** How much longer a reconciliation may take than without an outage of the lists, in ms. */
  get outageMs(): number {
    return this.#listsAreDown === true ? reconciliationGivesUpMs : 0;
  }

  /** Ends the outage of the lists, which lasts longer than the other faults: a reconciliation gives up. */
  endOutage(): void {
    this.#listsAreDown = false;
  }

  /** Returns the answer that the service gets instead of this one. */
  amend(server: string, request: Request, answer: Answer): Answer {
    if (!networks.includes(server) || answer.status >= 300) return answer;
    if (request.url.pathname.startsWith('/v1/listings/') && this.#hasOutage()) return unavailable;
    const body = fieldsIn(answer.body);
    const amended = body && this.#amended(request, body);
    return amended ? { ...answer, body: JSON.stringify(amended) } : answer;
  }

  /** Returns the fields to show; null: the true ones. */
  #amended({ method, url }: Request, body: Fields): Fields | null {
    const path = url.pathname;
    if (path.startsWith('/v1/listings/')) return this.#list(url, body);
    if (path === '/v1/dispute-changes') return this.#changes(body);
    if ('disputeId' in body) return this.#dispute(body, [...falseDisputes, falseOwner]);
    if (body['object'] === 'dispute') return this.#dispute(body, falseStripeDisputes);
    if ('chargeId' in body && 'attemptId' in body) {
      return this.#charge(String(body['key']), body, method === 'POST' ? falseCharges : []);
    }
    if (body['object'] === 'payment_intent') {
      const isCharged = path.endsWith('/confirm');
      return this.#charge(String(body['id']), body, isCharged ? falseIntents : []);
    }
    return null;
  }

  /**
   * Misreports a charge from its first answer on, while its attempt is open: what a network reports about
   * money that nothing waits for is recorded as it is.
   */
  #charge(name: string, charge: Fields, kinds: readonly ((charge: Fields) => Fields)[]): Fields | null {
    const scheduler = this.#scheduler();
    const known = this.#charges.get(name);
    if (known === undefined && kinds.length > 0) {
      const isFalse = this.#draws('charge misreported');
      const shown = isFalse ? scheduler.random.pick(kinds)(charge) : {};
      this.#charges.set(name, { shown, left: isFalse ? scheduler.random.between(...answersOfCharge) : 0 });
    }
    const misreport = this.#charges.get(name);
    if (misreport === undefined || misreport.left === 0 || !scheduler.troubled) return null;
    misreport.left -= 1;
    return { ...charge, ...misreport.shown };
  }

  #dispute(dispute: Fields, kinds: readonly Fields[]): Fields | null {
    if (!this.#draws('dispute misreported')) return null;
    return { ...dispute, ...this.#scheduler().random.pick(kinds) };
  }

  #changes(page: Fields): Fields | null {
    const disputes = entriesOf(page['disputes']);
    if (disputes.length === 0 || !this.#draws('dispute misreported')) return null;
    const shown = this.#scheduler().random.pick(falseDisputes);
    return { ...page, disputes: disputes.map((dispute) => ({ ...dispute, ...shown })) };
  }

  /** Misreports an entry, leaves it out, lists one of another service, or a page that follows itself. */
  #list(url: URL, page: Fields): Fields | null {
    const items = entriesOf(page['items']);
    const [first] = items;
    const after = url.searchParams.get('after');
    if (first === undefined && after === null) return null;
    // More refunded than paid.
    const isRefund = url.pathname.endsWith('/refunds') && !this.hasTrueAmounts && first !== undefined;
    if (isRefund && this.#draws('refund listed with more than was paid'))
      return { ...page, items: [{ ...first, ...anotherAmount(first) }, ...items.slice(1)] };
    if (after !== null && after === this.#repeated) return { ...page, next: after };
    if (!this.#draws('list misreported')) return null;
    // A page that follows itself.
    if (after !== null || first === undefined) return { ...page, next: after };
    const { random } = this.#scheduler();
    const how = random.pick(['entry', 'left out', 'foreign', 'follows itself'] as const);
    const others = items.slice(1);
    if (how === 'left out') return { ...page, items: others };
    if (how === 'foreign') return { ...page, items: [...items, { ...first, ...ofOtherService(first) }] };
    if (how === 'follows itself') {
      this.#repeated = String(first['key'] ?? first['disputeId']);
      return { ...page, next: this.#repeated };
    }
    const kinds = this.hasTrueAmounts ? unreadableEntries : [...unreadableEntries, anotherAmount];
    return { ...page, items: [{ ...first, ...random.pick(kinds)(first) }, ...others] };
  }

  #hasOutage(): boolean {
    const scheduler = this.#scheduler();
    if (this.#listsAreDown === null) {
      this.#listsAreDown =
        this.mayHaveOutage && scheduler.random.chance(outageShare) && scheduler.allows(outageKind);
      if (this.#listsAreDown) scheduler.met(outageKind);
    }
    return this.#listsAreDown;
  }

  #draws(kind: keyof typeof shares): boolean {
    return this.#scheduler().draws(kind, shares[kind]);
  }
}

const unavailable: Answer = { status: 503, headers: {}, body: '{}' };

/** The names of an object that another service with the same account made. */
const ofOtherService = (entry: Fields): Fields => ({
  ...('disputeId' in entry ? { disputeId: 'dispute_of_another_service' } : { key: 'another-service:1' }),
  paymentId: 'another-service',
});

const entriesOf = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];

function fieldsIn(text: string): Fields | null {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text) as Fields;
  } catch {
    return null;
  }
}
