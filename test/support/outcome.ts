/** The text a call answers, or the name of the error it throws. */
export function outcomeOf(call: () => string): string {
  try {
    return call();
  } catch (error) {
    return error instanceof Error ? error.name : 'no error object';
  }
}
