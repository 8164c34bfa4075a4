/**
 * Returns the title of a test: the guarantee alone. The requirements that it proves (`PAY-02`, `CREATE-05 to
 * -09`, ids of `test/conformance/requirements.json`) are arguments for the matrix, which reads them from the
 * source (docs/conformance.md).
 */
export function proves(guarantee: string, ..._requirements: string[]): string {
  return guarantee;
}
