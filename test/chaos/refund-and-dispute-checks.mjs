/**
 * The judge of what comes after a payment is paid. The network's ledger says what was given back and what is in
 * dispute; rows, events and answers have to say the same.
 */
export function checkRefunds(facts, payment, broken) {
  const { id, amountCents, refundedCents, status } = payment;
  const rows = facts.refunds.filter(({ paymentId }) => paymentId === id);
  const ledger = facts.ledgerRefunds.filter(({ paymentId }) => paymentId === id);
  const given = ledger.filter((refund) => refund.status === 'succeeded');

  for (const refund of ledger) {
    const row = rows.find((each) => each.id === refund.key);
    if (!row) broken('I22', id, `the network knows refund ${refund.key}, the rows do not`);
    else if (row.status === 'canceled')
      broken('I22', id, `refund ${row.id} was canceled and ${refund.status}`);
    else if (row.amountCents !== refund.amountCents) {
      broken('I22', id, `refund ${row.id} of ${row.amountCents} gave back ${refund.amountCents}`);
    }
  }
  for (const row of rows) {
    if (row.status === 'canceled') continue;
    const refund = ledger.find(({ key }) => key === row.id);
    if (row.status === 'pending') broken('I17', id, `refund ${row.id} is still pending`);
    else if (refund?.status !== row.status) {
      broken('I22', id, `refund ${row.id} is ${row.status}, at the network ${refund?.status ?? 'unknown'}`);
    }
    const told = facts.events.findLast(
      ({ type, objectId }) => type.startsWith('refund.') && objectId === row.id,
    );
    if (told?.type !== `refund.${row.status}`) {
      broken('I10', id, `refund ${row.id} is ${row.status}, the last event is ${told?.type ?? 'none'}`);
    }
  }

  const sum = given.reduce((total, refund) => total + refund.amountCents, 0);
  if (sum !== refundedCents) broken('I22', id, `${sum} were given back, the payment says ${refundedCents}`);
  if (refundedCents < 0 || refundedCents > amountCents) {
    broken('I14', id, `${refundedCents} of ${amountCents} refunded`);
  }
  const byRefunds = ['paid', 'partiallyRefunded', 'refunded'];
  const expected = byRefunds[sum === 0 ? 0 : sum < amountCents ? 1 : 2];
  if (byRefunds.includes(status) && status !== expected) broken('I22', id, `${status}, ${sum} given back`);

  oneForEachKey(facts, id, { op: 'refund', ids: rows.map((row) => row.id) }, broken);
}

export function checkDisputes(facts, payment, broken) {
  const { id, status } = payment;
  const rows = facts.disputes.filter(({ paymentId }) => paymentId === id);
  const network = facts.networkDisputes.filter(({ paymentId }) => paymentId === id);
  for (const dispute of network) {
    const row = rows.find(({ reference }) => reference === dispute.disputeId);
    const own = dispute.status === 'withdrawn' ? 'won' : dispute.status;
    if (!row) broken('I23', id, `the network knows dispute ${dispute.disputeId}, the rows do not`);
    else if (row.status !== own)
      broken('I23', id, `dispute ${row.id} is ${row.status}, at the network ${own}`);
    else {
      const told = facts.events.findLast(
        ({ type, objectId }) =>
          type.startsWith('dispute.') && type !== 'dispute.evidenceDueSoon' && objectId === row.id,
      );
      const last =
        row.resolution === 'withdrawn'
          ? 'withdrawn'
          : row.status === 'needsResponse'
            ? 'created'
            : row.status;
      if (told?.type !== `dispute.${last}`) {
        broken('I10', id, `dispute ${row.id} is ${row.status}, the last event is ${told?.type ?? 'none'}`);
      }
    }
  }
  if (rows.length > network.length) broken('I23', id, 'a dispute the network does not know');

  const isOpen = network.some((dispute) => ['needsResponse', 'underReview'].includes(dispute.status));
  if (status === 'disputed' && !isOpen) broken('I23', id, 'disputed, but no dispute is open');
  if (isOpen && !['disputed', 'refunded', 'disputeLost'].includes(status)) {
    broken('I23', id, `a dispute is open, the payment is ${status}`);
  }
  for (const [ended, wanted] of [
    ['disputeWon', 'won'],
    ['disputeLost', 'lost'],
  ]) {
    if (status === ended && !rows.some((row) => row.status === wanted)) {
      broken('I23', id, `${ended}, but no dispute was ${wanted}`);
    }
  }

  // One dispute of some cards opens by itself.
  const ordered = network.filter(({ reason }) => reason === 'productNotReceived');
  const ids = ordered.map(
    ({ disputeId }) => rows.find(({ reference }) => reference === disputeId)?.id ?? disputeId,
  );
  oneForEachKey(facts, id, { op: 'dispute', ids }, broken);
  if (network.length - ordered.length > 1) broken('I23', id, 'the card disputed twice');
}

/** Every key that was answered names a thing that is there; there are no more things than keys. */
function oneForEachKey(facts, id, { op, ids }, broken) {
  const asked = facts.history.filter((call) => call.op === op && call.paymentId === id);
  const keys = new Set(asked.map(({ key }) => key));
  const answered = new Map(
    asked.filter(({ result }) => result === 'ok').map(({ key, data }) => [key, data.id]),
  );
  const invariant = op === 'refund' ? 'I22' : 'I23';
  for (const answer of answered.values()) {
    if (!ids.includes(answer)) broken('I2', id, `${op} ${answer} was answered 201, but it is not there`);
  }
  if (new Set(answered.values()).size !== answered.size) broken(invariant, id, `two keys answered one ${op}`);
  const unanswered = keys.size - answered.size;
  if (ids.length > answered.size + unanswered)
    broken(invariant, id, `${ids.length} of ${op}, ${keys.size} keys`);
  const extra = ids.filter((each) => ![...answered.values()].includes(each));
  if (extra.length > unanswered) broken(invariant, id, `a ${op} that no key made`);
}
