import type { StackOptions } from './options.ts';
import type { Output } from './progress.ts';
import type { Entries } from './services.ts';
import type { StackSession } from './session.ts';

/** One start of the stack: everything that starting its parts needs. */
export interface Launch {
  session: StackSession;
  options: StackOptions;
  entries: Entries;
  /** The user's own variables. */
  environment: NodeJS.ProcessEnv;
  output: Output;
  signal: AbortSignal;
  /** More settings for the embedded PostgreSQL. */
  postgresSettings?: Readonly<Record<string, string>>;
}
