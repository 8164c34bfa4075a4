import { eventIdPattern } from '../../domain/event.ts';
import { eventFilterPattern } from '../../domain/event-types.ts';
import { httpsUriPattern } from '../../domain/urls.ts';

/** The names of texts that many fields have, by their patterns. */
const textNames: ReadonlyMap<string, string> = new Map([
  [httpsUriPattern, 'HttpsUrl'],
  [eventIdPattern.source, 'EventId'],
  [eventFilterPattern.source, 'EventFilter'],
]);

/** Returns the name of the texts of a pattern; undefined where they have none. */
export const textNameOf = (pattern: string): string | undefined => textNames.get(pattern);
