import type { MailFault } from '../../db/mail/mails.ts';
import type { MailProblem } from '../../domain/mail.ts';

/** Each problem, with what to do about it. */
const fixes: Readonly<Record<MailProblem, string>> = {
  address:
    'The name of the mail server leads to a private address, which is not allowed. Set the public name of the server.',
  dns: 'The name of the mail server was not found. Check its spelling.',
  connect: 'The mail server refused the connection. Check its name and port: most servers use 587 or 465.',
  tls: 'No secure connection to the mail server could be made. Check that it offers TLS, that its certificate is valid for its name, and that the port fits: smtps:// for 465, smtp:// for 587.',
  timeout: 'The mail server did not answer in time. Check its name and port, and that it can be reached.',
  protocol: 'The server does not answer like a mail server. Check its name and port.',
  login: 'The mail server refused the login. Check the user and the password.',
  sender: 'The mail server refused the sender. Set a sender that the account may use.',
  unavailable: 'The mail server closed the connection. Wait until it works again, or ask its provider.',
  recipient: 'The mail server refused the receiver. Check the address with the receiver.',
  content:
    'The mail server refused the message. Ask its provider whether it may send for the domain of the sender.',
  gone: 'What the mail was about no longer exists, or it has no address. Nothing is left to do.',
  tooOld: 'The mail server could not be used for a day. Check its settings with a test e-mail.',
  removed: 'The mail server was removed before the mail was sent. Set a mail server.',
};

/** Returns a sentence about a fault that names the fix, with the server's code if it sent one. */
export const mailFix = ({ problem, replyCode }: MailFault): string =>
  replyCode === null ? fixes[problem] : `${fixes[problem]} The server answered with code ${replyCode}.`;
