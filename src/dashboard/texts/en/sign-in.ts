export const signIn = {
  // Signing in
  title: 'Sign in',
  withPasskey: 'Sign in with a passkey',
  withProvider: (provider: string) => `Sign in with ${provider}`,
  usePassword: 'Use a password',
  login: 'Sign-in name',
  password: 'Password',
  code: 'Authenticator code',
  codeHelp: 'Or one of your recovery codes.',
  button: 'Sign in',
  mailLink: 'E-mail me a sign-in link',
  mailLinkTo: 'Your e-mail address',
  mailLinkButton: 'Send the link',
  linkSent:
    'If a member has this e-mail address, a sign-in link is on its way. It works once and expires in 15 minutes.',
  needLink: 'First time here, or locked out? Ask your operator for a sign-in link.',
  signedOut: "You're signed out of this browser.",
  wrongPassword:
    'The name, password or code is wrong. Each code works once. After three failed attempts you have to wait, longer each time.',
  passkeyFailed:
    "That passkey didn't work. Try again in a browser that supports passkeys and has JavaScript on.",

  providerOnly: (provider: string | null) =>
    `Your team signs in with ${provider ?? 'its identity provider'} only. If it isn't available, ask your operator for a sign-in link.`,

  // By a link
  linkTitle: 'Use this sign-in link?',
  linkFromSite: (merchant: string) =>
    `Another website sent you here. The link signs you in to the dashboard of ${merchant}.`,
  linkWhileSignedIn: (member: string, merchant: string, next: string) =>
    `You're signed in to ${merchant} as ${member}. The link signs you out and then in to ${next}, as the member it was created for.`,
  linkWarning: 'Continue only if you asked for this link.',
  followLink: 'Sign in with the link',
  staySignedOut: 'Stay signed out',
  staySignedIn: 'Stay signed in',
  linkExpiredTitle: 'This link has expired',
  linkExpiredText: 'A link works once and for one day. Ask your operator for a new one.',
  teamFullTitle: 'The team is full',
  teamFullText:
    'An owner can make room by removing a member. Then open your invitation again: it works until it expires.',

  // By an identity provider
  chooseTitle: 'Choose a merchant',
  chooseText: 'Your e-mail address belongs to members of several merchants. To switch later, sign in again.',
  chooseAs: (member: string) => `as ${member}`,
  rejectedTitle: "You're not signed in",
  rejectedText: 'The sign-in was rejected or took too long. Start again.',
  unknownTitle: 'No account with that e-mail',
  unknownText:
    'Ask an owner of your team to add your e-mail address to your name under Team. Then sign in again.',
  providerUnavailableTitle: "Your identity provider isn't responding",
  providerUnavailableText: 'Try again in a moment, or sign in with a passkey, a password or a sign-in link.',

  // Confirming who it is
  confirmTitle: "Confirm it's you",
  confirmText: 'Sensitive changes require a recent sign-in',
  confirmPasskey: 'Use your passkey',
  confirmButton: 'Continue',
  confirmProvider: (provider: string) => `Sign in with ${provider} again`,
  confirmContinues: 'Nothing you entered is lost: your form is submitted as soon as you confirm.',
  continuedTitle: 'This form was already submitted',
  continuedText: 'A form is kept for an hour and submitted once. Open its page to see what it changed.',
  confirmByLink:
    "You don't have a passkey or password yet. Ask your operator for a new sign-in link. After you sign in with it, you have 10 minutes to make changes and to add a passkey under {team}.",
  team: 'Team',
  confirmPasskeyFailed: "That passkey didn't work. Try again.",

  // The first sign-in
  firstPasskeyTitle: 'Add a passkey',
  firstPasskeyWhy: 'Sign in next time with your fingerprint, face or screen lock',
  firstPasskeyText:
    'Your link worked once. A passkey lets you sign in without a new link, and it cannot be guessed or stolen like a password.',
  notNow: 'Not now',

  // One's own sign-in methods
  ownTitle: 'Your sign-in methods',
  passkeys: 'Passkeys',
  passkey: 'Passkey',
  lastUsed: 'Last used',
  remove: 'Remove',
  removeLabel: (name: string) => `Remove ${name}`,
  removeQuestion: (name: string) => `Remove the passkey ${name}?`,
  removeText: 'You will no longer be able to sign in with it. Your other passkeys still work.',
  removeLastText:
    'You will no longer be able to sign in with it. It is your only passkey: without a password or another sign-in method, you will need a new link from your operator.',
  removeConfirm: (name: string) => `Remove ${name}`,
  noPasskey:
    'Add a passkey now. Without a passkey or password, you need a new link from your operator for each sign-in.',
  noPasskeyWithProvider: (provider: string) =>
    `You sign in with ${provider}. With a passkey, you can also sign in while ${provider} is unavailable.`,
  passkeyName: 'Name of the new passkey',
  passkeyPlaceholder: 'Laptop',
  passkeyDefaultName: 'Passkey',
  addPasskey: 'Add passkey',
  setPasswordLink: 'Set a password and authenticator app',
  invalidPasskeyName: (max: number) => `The passkey name is too long. Enter at most ${max} characters.`,
  passkeyNotAdded:
    "The passkey couldn't be added. Try again in a browser that supports passkeys and has JavaScript on.",
  passkeyKnown: (max: number) =>
    `The passkey wasn't added. You already have it, or you have ${max}, the maximum.`,

  // One's own password
  passwordTitle: 'Your password',
  newPassword: 'Set a password and authenticator app',
  changePassword: 'Change your password and authenticator app',
  newPasswordText: 'For signing in without a passkey. You enter the password and a code from the app.',
  changePasswordText: 'This replaces your current password, app and recovery codes.',
  qrLabel: 'QR code for the authenticator app',
  qrCaption: 'Scan the code with your app, or enter {secret}',
  passwordHelp: 'At least 12 characters.',
  appCode: 'Code from the app',
  setPassword: 'Set password',
  recoveryCodes:
    'Your recovery codes. If you lose the app, sign in with one of them instead of its code. Each works once.',
  backToTeam: 'Back to Team',
  invalidLogin: 'The sign-in name is invalid. Enter 3 to 255 characters without spaces.',
  passwordTooShort: 'The password is too short. Enter at least 12 characters.',
  weakPassword: 'The password is too easy to guess. Try four unrelated words.',
  invalidFactor: 'The authenticator code expired. Reload the page and scan the new QR code.',
  wrongAppCode: "The code doesn't match. Enter the app's current code, and check the clock of its device.",
  loginTaken: 'This sign-in name is taken. Choose another one.',
} as const;
