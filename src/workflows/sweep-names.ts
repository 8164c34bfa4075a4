/** Names shared by workflows and their callers outside the sandbox. */
export const resumeFromRowsSignalName = 'resumeFromRows';
