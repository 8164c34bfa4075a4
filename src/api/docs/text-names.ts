import { eventIdPattern } from '../../domain/event-id.ts';
import { eventFilterPattern } from '../../domain/event-types.ts';
import { httpsUriPattern } from '../../domain/urls.ts';

/** The names of the text types that many fields share, by their patterns. */
const textNames: ReadonlyMap<string, string> = new Map([
  [httpsUriPattern, 'HttpsUrl'],
  [eventIdPattern.source, 'EventId'],
  [eventFilterPattern.source, 'EventFilter'],
]);

/** Returns the name of the text type with this pattern; undefined if it has none. */
export const textNameOf = (pattern: string): string | undefined => textNames.get(pattern);
