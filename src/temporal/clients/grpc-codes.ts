/** The status codes of gRPC that callers of Temporal distinguish. */
export const grpcCodes = {
  notFound: 5,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unavailable: 14,
} as const;

/**
 * Returns the gRPC code of an error; undefined: it has none. Workers and clients throw errors of different
 * classes.
 */
export const grpcCodeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
