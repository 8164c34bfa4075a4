/**
 * Frames that a stack keeps within workflows. The SDK takes a stack for every promise and looks each frame up
 * in the source map. What is left still names the code that waits, which is what the Temporal UI shows.
 */
const frames = 5;

// Loaded once, before the SDK freezes what workflows share.
Error.stackTraceLimit = frames;
