/**
 * Frames of a stack trace within workflows. The SDK captures a stack for every promise and resolves each
 * frame with the source map. Five frames still name the code that waits, which the Temporal UI shows.
 */
const frames = 5;

// This module is loaded once, before the SDK freezes the globals that workflows share.
Error.stackTraceLimit = frames;
