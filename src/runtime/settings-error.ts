/** A wrong setting: the message is one line that names it and the fix, safe to print. */
export class SettingsError extends Error {}
