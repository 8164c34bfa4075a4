/** gRPC's codes that the service distinguishes. */
export const codes = {
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  unavailable: 14,
} as const;

/** An error as the gRPC client throws it. */
export class RpcError extends Error {
  readonly code: number;
  readonly details: string;
  readonly metadata = { get: (): never[] => [], internalRepr: new Map() };

  constructor(code: number, details: string) {
    super(`${code}: ${details}`);
    this.code = code;
    this.details = details;
  }
}
