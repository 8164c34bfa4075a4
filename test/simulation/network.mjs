/** The simulated network: one effect per key, whatever is repeated; its list of charges is the truth about money. */
export function createNetwork(random, now, expiresAt) {
  const charges = new Map();
  const card = random.weighted([
    ['captured', 4],
    ['declined', 3],
    ['failed', 1],
    ['requires_action', 4],
    ['late', 1],
    ['moody', 3],
  ]);

  const settleLate = (charge) => {
    if (charge?.status === 'pending' && now() >= charge.dueAt) charge.status = 'captured';
    return charge;
  };

  function open() {
    const kind =
      card === 'moody' ? random.pick(['captured', 'declined', 'requires_action', 'late', 'failed']) : card;
    const failureCode = kind === 'declined' || kind === 'failed' ? 'card_declined' : null;
    if (kind === 'late') return { status: 'pending', failureCode, dueAt: expiresAt + 2_000 };
    return { status: kind, failureCode, challenge: 'open' };
  }

  return {
    charges,
    charge(key) {
      if (!charges.has(key)) charges.set(key, open());
      return settleLate(charges.get(key));
    },
    lookup: (key) => settleLate(charges.get(key)) ?? null,
    /** The customer answers whatever challenge is open. */
    challenge(passes) {
      for (const charge of charges.values()) {
        if (charge.status === 'requires_action' && charge.challenge === 'open') {
          charge.challenge = passes ? 'passed' : 'failed';
        }
      }
    },
    confirm(key) {
      const charge = charges.get(key);
      if (charge?.status === 'requires_action' && charge.challenge !== 'open') {
        charge.status = charge.challenge === 'passed' ? 'captured' : 'declined';
        charge.failureCode = charge.challenge === 'passed' ? null : 'authentication_failed';
      }
      return charge;
    },
    /** Closes the key: nothing can be charged under it any more, unless it already was. */
    void(key) {
      const charge = settleLate(charges.get(key));
      if (!charge) charges.set(key, { status: 'voided', failureCode: null });
      else if (charge.status === 'requires_action' && charge.challenge !== 'passed') charge.status = 'voided';
      return charges.get(key);
    },
  };
}
