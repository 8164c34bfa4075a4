/** Thrown for a wrong setting. The message is one line that names it and the fix, and is safe to print. */
export class SettingsError extends Error {}
