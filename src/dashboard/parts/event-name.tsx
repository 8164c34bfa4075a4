import { entryNamed } from '../../domain/entry-named.ts';
import { texts } from '../texts/en.ts';
import { labelOf } from './format.ts';

const { eventTypes, otherEventNames } = texts.webhooks;

const names: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.values(eventTypes),
  otherEventNames,
) as Record<string, string>;

/** Returns the name of an event type or of a group of them, such as `Payment paid` for `payment.paid`. */
export const eventName = (type: string): string => entryNamed(names, type) ?? labelOf(type);

/** An event type's API name in small print, for developers. */
export const EventType = ({ of: type }: { of: string }) => <code class="raw">{type}</code>;
