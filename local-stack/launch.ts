import type { StackOptions } from './options.ts';
import type { Output } from './progress.ts';
import type { Entries } from './services.ts';
import type { StackSession } from './session.ts';

/** One start of the stack: all that its parts are started from. */
export interface Launch {
  session: StackSession;
  options: StackOptions;
  entries: Entries;
  /** The user's own variables. */
  environment: NodeJS.ProcessEnv;
  output: Output;
  signal: AbortSignal;
  /** Settings of the embedded PostgreSQL beside its own. */
  postgresSettings?: Readonly<Record<string, string>>;
}
