/** Returns the text of a call, or the name of the error that it throws. */
export function outcomeOf(call: () => string): string {
  try {
    return call();
  } catch (error) {
    return error instanceof Error ? error.name : 'no error object';
  }
}
