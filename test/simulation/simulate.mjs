import { randomFrom } from '../chaos/random.mjs';
import { createNetwork } from './network.mjs';
import { watch } from './invariants.mjs';

/** Simulated instants, ms. */
const expiresAt = 1_800_000;
const captureEndsAt = 600_000;
const second = 1_000;
/** Nothing gets lost from here on, and soon after everything must be settled. */
const healedAt = expiresAt + 5 * 60 * second;
const patience = 2 * 60 * second;

const lookupsBeforeVoid = 3;
const answerWithin = 8 * second;

/**
 * Plays one payment of a seed: the real decisions (`domain` is src/domain/checkout.ts) under a simulated clock, network
 * and store. Requests and answers are lost, doubled and late, workers die between any two steps, runs are terminated
 * and taken over from the rows. Answers what was broken, as `{invariant, detail}`, and what happened.
 */
export function simulate(domain, seed) {
  const random = randomFrom(seed);
  const { decide, evolve, openCheckout, resumeCheckout, checkoutStatus, isClosed } = domain;
  // Swarm: how rough this seed is. A calm seed reaches states that a rough one never lives to see.
  const loss = random.pick([0, 0.1, 0.3, 0.6]);
  const death = random.pick([0, 0.02, 0.1]);
  const slowness = random.pick([200, 2_000, 20_000]);

  let now = 0;
  let order = 0;
  const queue = [];
  const after = (delay, run) => queue.push({ at: now + delay, order: (order += 1), run });
  const latency = () => 1 + Math.floor(random.next() * random.next() * slowness);
  const lost = () => now < healedAt && random.chance(loss);

  let state = openCheckout({ mode: 'custom', expiresAtMs: expiresAt, captureEndsAtMs: captureEndsAt });
  let run = 1;
  /** Between the end of a run and the next one nobody decides anything. */
  let alive = true;
  let flights = 0;
  let resolving = 0;
  const rows = {
    checkoutStatus: 'open',
    terminalReason: null,
    paymentStatus: 'pending',
    attemptsLeft: 5,
    method: null,
    owner: 1,
    captureEnded: false,
    attempts: new Map(),
  };
  const network = createNetwork(random, () => now, expiresAt);
  const watcher = watch({ domain, network, rows, expiresAt, captureEndsAt, now: () => now });

  const openAttempt = () =>
    [...rows.attempts].find(([, status]) => status === 'processing' || status === 'requiresAction');

  /** What one transaction writes of a state and an attempt. */
  function writeRows(event) {
    rows.checkoutStatus = checkoutStatus(state);
    rows.terminalReason = state.terminalReason;
    rows.paymentStatus = state.paymentStatus;
    rows.attemptsLeft = state.attemptsLeft;
    rows.method = state.method;
    const written = {
      ActionRequired: 'requiresAction',
      AttemptPaid: 'paid',
      AttemptDeclined: 'declined',
      AttemptFailed: 'failed',
      AttemptVoided: 'voided',
      AttemptReleased: 'voided',
    }[event.type];
    if (written) rows.attempts.set(event.attemptNo, written);
    watcher.rowsWritten();
  }

  function apply(events) {
    for (const event of events) {
      const before = state;
      state = evolve(state, event);
      watcher.moved(before, state, event);
      if (event.type === 'AttemptReleased' ? event.recorded : event.type !== 'OutcomeBecameUnknown') {
        if (event.type !== 'ClosingStarted' && event.type !== 'AttemptStarted') writeRows(event);
      }
    }
    if (state.flight === null) resolving += 1;
    for (const { type } of events) {
      if (type === 'OutcomeBecameUnknown' && state.flight)
        resolve(state.flight.attemptNo, state.flight.kind === 'closing');
      if (type === 'ClosingStarted' && state.flight) resolve(state.flight.attemptNo, true);
    }
  }

  const tell = (command) => {
    const decision = decide(state, command, now);
    if (decision.ok) {
      watcher.accepted(command, decision.events, state);
      apply(decision.events);
    }
    return decision;
  };

  /** Work of the current run: what a later run, or a later flight, no longer wants to hear. */
  function reporter(attemptNo) {
    const [mine, flight] = [run, flights];
    return (outcome) => {
      if (mine === run && flight === flights) tell({ type: 'settle', attemptNo, outcome });
    };
  }

  function authorize(attemptNo) {
    const report = reporter(attemptNo);
    const mine = run;
    let answered = false;
    const answer = (outcome) => {
      if (!answered) report(outcome);
      answered = true;
    };
    after(latency(), () => {
      // The worker dies before or after the record: the missing heartbeat tells the run.
      if (random.chance(death)) return after(4 * second, () => answer({ status: 'unknown' }));
      if (random.chance(0.03)) return answer({ status: 'tokenRejected' });
      if (random.chance(0.03)) return answer({ status: 'notStarted', recorded: false });
      if (rows.attempts.has(attemptNo)) return answer({ status: 'unknown' });
      const over = rows.checkoutStatus === 'paid' || rows.checkoutStatus === 'expired' || now >= expiresAt;
      if (rows.owner !== mine || over) {
        return answer({ status: 'notStarted', recorded: false });
      }
      rows.attempts.set(attemptNo, 'processing');
      rows.checkoutStatus = 'processing';
      rows.captureEnded = true;
      if (random.chance(0.03)) return answer({ status: 'notStarted', recorded: true });
      if (random.chance(death)) return after(4 * second, () => answer({ status: 'unknown' }));
      after(answerWithin, () => answer({ status: 'unknown' }));
      const copies = random.chance(0.1) ? 2 : 1;
      for (let copy = 0; copy < copies; copy += 1) {
        if (lost()) continue;
        // A request may arrive long after its caller has given up.
        after(latency() + (random.chance(0.1) ? 60 * second : 0), () => {
          const charge = network.charge(attemptNo);
          if (lost() || charge.status === 'pending') return;
          after(latency(), () => answer(outcomeOf(charge)));
        });
      }
      return undefined;
    });
  }

  /** Asks until the network knows; only the latest resolver of the current run speaks. */
  function resolve(attemptNo, close) {
    resolving += 1;
    const [mine, turn] = [run, resolving];
    const report = reporter(attemptNo);
    let tries = 0;
    const look = () => {
      if (mine !== run || turn !== resolving) return;
      tries += 1;
      after(Math.min(30, 1.5 ** tries) * second, look);
      if (lost()) return;
      let charge = close ? network.void(attemptNo) : network.lookup(attemptNo);
      if (!charge && tries >= lookupsBeforeVoid) charge = network.void(attemptNo);
      if (close && charge?.status === 'requires_action') charge = network.confirm(attemptNo);
      if (!charge || charge.status === 'pending' || lost()) return;
      if (close && charge.status === 'requires_action') return;
      const found = outcomeOf(charge);
      after(latency(), () => mine === run && turn === resolving && report(found));
    };
    after(latency(), look);
  }

  function confirm(attemptNo) {
    const report = reporter(attemptNo);
    rows.checkoutStatus = checkoutStatus(state);
    let answered = false;
    const answer = (outcome) => {
      if (!answered) report(outcome);
      answered = true;
    };
    after(answerWithin, () => answer({ status: 'unknown' }));
    if (lost()) return;
    after(latency(), () => {
      const charge = network.confirm(attemptNo);
      if (!lost()) after(latency(), () => answer(outcomeOf(charge)));
    });
  }

  /** One thing the client, the customer or an operator does. */
  function act() {
    if (!alive) return;
    const kind = random.weighted([
      ['pay', 8],
      ['prepare', 2],
      ['customer', 3],
      ['confirm', 3],
      ['abandon', 1],
      ['terminate', death * 10],
    ]);
    if (kind === 'pay') {
      if (tell({ type: 'pay', method: 'card' }).ok) {
        flights += 1;
        authorize(state.attemptsStarted);
      }
    } else if (kind === 'prepare') tell({ type: 'prepareCapture' });
    else if (kind === 'customer') network.challenge(random.chance(0.8));
    else if (kind === 'confirm') {
      if (decide(state, { type: 'confirm' }, now).ok) {
        flights += 1;
        tell({ type: 'confirm' });
        confirm(state.attemptsStarted);
      }
    } else if (kind === 'abandon') {
      if (decide(state, { type: 'abandonAction' }, now).ok) {
        flights += 1;
        tell({ type: 'abandonAction' });
      }
    } else takeOver();
  }

  /** The run is gone; the sweeper starts another one from the rows. */
  function takeOver() {
    run += 1;
    alive = false;
    after(random.between(1, 10) * second, () => {
      alive = true;
      rows.owner = run;
      const open = openAttempt();
      const before = state;
      state = resumeCheckout({
        mode: 'custom',
        expiresAtMs: expiresAt,
        captureEndsAtMs: captureEndsAt,
        checkoutStatus: rows.checkoutStatus,
        terminalReason: rows.terminalReason,
        paymentStatus: rows.paymentStatus,
        attemptsLeft: rows.attemptsLeft,
        attemptsStarted: Math.max(0, ...rows.attempts.keys()),
        method: rows.method,
        captureRevoked: rows.captureEnded || rows.attempts.size > 0,
        openAttempt: open
          ? {
              attemptNo: open[0],
              waitsForCustomer: open[1] === 'requiresAction' && rows.checkoutStatus !== 'processing',
            }
          : null,
      });
      watcher.resumed(before, state);
      flights += 1;
      if (state.flight) resolve(state.flight.attemptNo, state.flight.kind === 'closing');
      watchDeadline();
    });
  }

  /** The timer of the current run, late by as much as its worker is. */
  function watchDeadline() {
    const mine = run;
    after(Math.max(1, expiresAt - now) + latency(), () => mine === run && tell({ type: 'reachDeadline' }));
  }

  watchDeadline();
  const acts = random.between(1, 24);
  const spread = random.pick([30 * second, captureEndsAt, expiresAt + 60 * second]);
  for (let n = 0; n < acts; n += 1) after(random.between(0, spread), act);

  let steps = 0;
  while (queue.length > 0 && steps < 5_000) {
    steps += 1;
    let first = 0;
    for (let index = 1; index < queue.length; index += 1) {
      const [one, other] = [queue[index], queue[first]];
      if (one.at < other.at || (one.at === other.at && one.order < other.order)) first = index;
    }
    const next = queue[first];
    queue[first] = queue.at(-1);
    queue.pop();
    if (next.at > healedAt + patience) break;
    now = next.at;
    next.run();
    if (watcher.violations.length > 0) break;
  }
  watcher.ended(state, isClosed(state) && state.flight === null);
  return { violations: watcher.violations, steps, simulatedMs: now };
}

function outcomeOf({ status, failureCode }) {
  switch (status) {
    case 'captured':
      return { status: 'paid' };
    case 'declined':
    case 'failed':
      return { status, failureCode, message: 'no' };
    case 'voided':
      return { status: 'voided' };
    default:
      return { status: 'requiresAction' };
  }
}
