/** Status edges as the specification has them, written a second time on purpose. */
const paymentEdges = {
  pending: ['requiresAction', 'paid', 'failed'],
  requiresAction: ['pending', 'paid', 'failed'],
  paid: [],
  failed: [],
};

/** Watches one simulated payment; what breaks is listed in `violations`. Numbers: docs/reliability.md. */
export function watch({ domain, network, rows, expiresAt, captureEndsAt, now }) {
  const violations = [];
  const broken = (invariant, detail) => violations.push({ invariant, detail });
  const captured = () => [...network.charges.values()].filter(({ status }) => status === 'captured').length;
  let shown = { checkoutStatus: 'open', paymentStatus: 'pending', attemptsLeft: 5 };

  function checkMoney() {
    if (captured() > 1) broken('I1', `${captured()} captured charges`);
  }

  return {
    violations,
    accepted(command, events, state) {
      checkMoney();
      if (command.type === 'prepareCapture') {
        if (now() >= captureEndsAt) broken('I9', 'capture was prepared after its window');
        if (rows.captureEnded) broken('I9', 'capture was prepared after a card was accepted');
      }
      if (!events.some(({ type }) => type === 'AttemptStarted')) return;
      if (now() >= expiresAt) broken('I16', 'an attempt began after the deadline');
      if (rows.checkoutStatus === 'paid' || rows.checkoutStatus === 'expired') {
        broken('I16', 'an attempt began on a closed checkout');
      }
      if (state.flight) broken('I4', 'an attempt began while another was in flight');
      for (const { status } of network.charges.values()) {
        if (status === 'captured' || status === 'pending' || status === 'requires_action') {
          broken('I4', `an attempt began while the network had one ${status}`);
        }
      }
    },
    moved(before, after, event) {
      if (after.attemptsLeft > before.attemptsLeft) broken('I8', 'attemptsLeft rose');
      if (before.attemptsLeft - after.attemptsLeft > 1) broken('I8', 'one outcome used two attempts');
      if (after.attemptsLeft < 0) broken('I8', 'attemptsLeft below zero');
      if (after.attemptsStarted < before.attemptsStarted) broken('I5', 'the attempt number fell');
      if (event.type === 'AttemptStarted' && after.attemptsStarted === before.attemptsStarted) {
        broken('I5', 'two attempts under one number');
      }
      if (domain.isClosed(before) && before.resting !== after.resting) {
        broken('I7', `a closed checkout went from ${before.resting} to ${after.resting}`);
      }
      if (domain.isClosed(before) && before.terminalReason !== after.terminalReason) {
        broken('I7', 'a closed checkout changed its reason');
      }
      const used = before.attemptsLeft - after.attemptsLeft;
      const uses = ['AttemptDeclined', 'AttemptFailed', 'AttemptVoided'].includes(event.type);
      if (used === 1 && !uses) broken('I8', `${event.type} used an attempt`);
      if (uses && used === 0 && !domain.isClosed(before)) broken('I8', `${event.type} used no attempt`);
    },
    rowsWritten() {
      const { checkoutStatus, paymentStatus, attemptsLeft } = rows;
      const from = shown.paymentStatus;
      if (from !== paymentStatus && !paymentEdges[from].includes(paymentStatus)) {
        broken('I7', `the payment went from ${from} to ${paymentStatus}`);
      }
      const closed = shown.checkoutStatus === 'paid' || shown.checkoutStatus === 'expired';
      if (closed && checkoutStatus !== shown.checkoutStatus) {
        broken('I7', `the checkout went from ${shown.checkoutStatus} to ${checkoutStatus}`);
      }
      if (attemptsLeft > shown.attemptsLeft) broken('I8', 'attemptsLeft rose in the rows');
      shown = { checkoutStatus, paymentStatus, attemptsLeft };
      checkMoney();
    },
    resumed(_before, state) {
      if (rows.paymentStatus !== state.paymentStatus) broken('I7', 'taking over changed the payment');
      if (state.attemptsLeft !== rows.attemptsLeft) broken('I8', 'taking over changed attemptsLeft');
    },
    /** Long after the deadline: everything is settled, and what we say is what the network did. */
    ended(state, settled) {
      if (violations.length > 0) return;
      checkMoney();
      if (!settled)
        broken('I17', `not settled: ${domain.checkoutStatus(state)}, ${JSON.stringify(state.flight)}`);
      if ((rows.paymentStatus === 'paid') !== captured() > 0) {
        broken('I3', `payment ${rows.paymentStatus}, ${captured()} captured at the network`);
      }
      for (const [attemptNo, { status }] of network.charges) {
        if (status === 'requires_action' || status === 'pending') {
          broken('I17', `attempt ${attemptNo} is still ${status} at the network`);
        }
      }
    },
  };
}
