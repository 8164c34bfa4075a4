import type { Notice } from './view.ts';

/** What a page says that a form led to. Words of ours only: the address chooses among them. */
const notices = {
  refunded: 'The refund was made. It is sent to the network in a moment.',
  refundCanceled: 'The refund was canceled.',
  staged: 'The evidence is kept ready. It is not submitted yet.',
  submitted: 'The evidence was submitted. The network decides now.',
  accepted: 'The dispute was accepted: the money stays with the customer.',
  keyRevoked: 'The key was revoked. Calls with it are answered 401 from now on.',
  endpointChanged: 'The endpoint was changed.',
  endpointDeleted: 'The endpoint was deleted.',
  endpointTested: 'A test event is on its way to the endpoint.',
  resent: 'The event is on its way again.',
  replayed: 'The replay has begun. Deliveries appear here as they are made.',
  settingsSaved: 'The settings were saved.',
  brandingSaved: 'The looks of the checkout page were saved.',
  sandboxDone: 'The simulation was ordered.',
  memberChanged: 'The role was changed.',
  emailChanged: 'The e-mail address was changed.',
  invitationCanceled: 'The invitation was taken back. Its link leads nowhere any more.',
  memberRemoved: 'The member was taken out and is signed out everywhere.',
  sessionEnded: 'That browser is signed out.',
  passkeyAdded: 'The passkey was added. Use it to sign in from now on.',
  passkeyRemoved: 'The passkey was removed.',
  passwordSet: 'The password was set.',
  confirmed: 'Thank you. Please do again what you were about to do.',
} as const;

export type Done = keyof typeof notices;

/** Returns what to say for a mark in the address, or null. */
export function formNotice(mark: string | null): Notice | null {
  return mark !== null && Object.hasOwn(notices, mark) ? { kind: 'good', text: notices[mark as Done] } : null;
}
