/**
 * Loaded before a process of the service (NODE_OPTIONS=--import). Its `Date` is CLOCK_SHIFT_MS ahead until
 * the process gets SIGWINCH, as if its system clock were wrong and then corrected. Monotonic clocks stay
 * right.
 */
let shiftMs = Number(process.env['CLOCK_SHIFT_MS'] ?? '0');
// The service itself does not use this signal.
process.on('SIGWINCH', () => (shiftMs = 0));

const RightDate = Date;
globalThis.Date = class extends RightDate {
  constructor(...parts) {
    if (parts.length === 0) super(RightDate.now() + shiftMs);
    else super(...parts);
  }

  static now() {
    return RightDate.now() + shiftMs;
  }
};
