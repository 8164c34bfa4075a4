/**
 * Returns the JSON body of an answer, for a test that reads it as the type it expects: where the body has
 * another shape, the assertion on what was read fails.
 */
export const jsonBody = ({ body }: { body: unknown }): unknown => body;

/** Returns the `data` of an answer, like `jsonBody`. */
export const jsonData = ({ body }: { body: { data?: unknown } }): unknown => body.data;
