/**
 * Returns the JSON body of an answer, for tests that read it as the type they expect. When the body has
 * another shape, the assertion on the value fails.
 */
export const jsonBody = ({ body }: { body: unknown }): unknown => body;

/** Returns the `data` of an answer, like `jsonBody`. */
export const jsonData = ({ body }: { body: { data?: unknown } }): unknown => body.data;
