/** Tells operators of a fault an activity met: where, for which payment, and the error, which is logged without its text. */
export type FaultLog = (activity: string, paymentId: string, error: unknown) => void;
