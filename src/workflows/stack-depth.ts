/**
 * Frames that a stack keeps within workflows. The SDK takes a stack for every promise and resolves each frame
 * by the source map. Five frames still name the code that waits, which the Temporal UI shows.
 */
const frames = 5;

// Loaded once, before the SDK freezes what workflows share.
Error.stackTraceLimit = frames;
