export const settings = {
  title: 'Settings',
  change: 'Change',
  onThisPage: 'Sections of this page',
  sections: {
    provider: 'Payment provider',
    checkout: 'Checkout page',
    mail: 'E-mail',
    limits: 'Refunds and declines',
    times: 'Times and days',
    ownPages: 'Your own pages',
  },
  noLimit: 'No limit',
  readOnly: 'Only owners and developers can change settings.',

  // Payment provider
  simulated: 'Payments are simulated. No money moves.',
  notConnected: 'Payments are rejected until a payment provider is connected.',
  connect: 'To take real payments, ask your operator to connect your Stripe account.',
  changeCredentials: 'To change the credentials, ask your operator.',
  forOperators: 'For operators',
  providerName: 'Provider',
  providers: { stripe: 'Stripe, with cards stored in PCI Vault' },
  account: 'Account',
  methods: 'Methods',
  amounts: 'Amounts',
  all: 'All',
  amountRange: (min: string, max: string) => `${min} to ${max}`,
  credentialsChanged: 'Credentials changed',
  checkedByOperator: 'Last checked by your operator',
  checked: (charges: string, cards: string, payouts: string) =>
    `The credentials work. Charges: ${charges}. Card payments: ${cards}. Payouts: ${payouts}.`,
  yes: 'yes',
  no: 'no',
  checkNow: 'Check credentials',
  checkRunning: 'A check is already running. Try again in a moment.',

  // Card testing
  declines: 'Declined cards',
  declineLimitsOf: (set: number, all: number) => `${set} of ${all} limits are set`,
  declinesText:
    'Many declines can mean that stolen cards are being tested. After this many declines within ten minutes, further payments are rejected. Enter 0 for no limit.',
  declineLimits: {
    declinesPerMerchant: 'In your whole shop',
    declinesPerKey: 'By one API key',
    declinesPerAddress: "From one customer's network",
    declinesPerBin: 'Of cards with the same first digits',
    declinesPerCard: 'Of one card',
  },
  invalidDeclines: (max: number) => `Enter whole numbers from 0 to ${max}.`,

  // Refunds
  refundApproval: 'Refund approval',
  refundApprovalText:
    "Once a member's refunds in the dashboard reach this amount in one day, a second member has to approve them. Leave it empty for no limit.",
  refundApprovalOf: (amount: string) => `From ${amount} in a day`,
  refundApprovalFrom: 'Amount in USD',
  refundLate: 'Payments after the deadline',
  refundedLate: 'Refunded automatically',
  keptLate: 'Kept for you to fulfill or refund',
  refundLateText:
    'A payment can succeed after its checkout has closed, for example when the bank answers late. Home lists such payments, and you fulfill or refund them yourself. Turn this on to refund them in full automatically.',
  refundLateOn:
    'A payment that succeeds after its checkout has closed is refunded in full automatically. Do not fulfill it.',
  refundLateOffQuestion: 'Stop refunding late payments automatically?',
  refundLateOffText:
    'Payments that succeed after their deadline will be kept. Home will list them, and you fulfill or refund them yourself.',
  invalidRefundApproval: 'Enter an amount such as 500.00, or leave the field empty.',

  // Mail
  mail: {
    none: 'No e-mails are sent. Set up a mail server to send receipts to customers, and invitations, sign-in links and notices to members.',
    sends:
      'Customers receive a receipt when they have paid. Members receive invitations, sign-in links and notices of disputes and failing endpoints.',
    server: 'Mail server',
    from: 'Sender',
    fromHelp: 'An address that the server is allowed to send from.',
    lastSent: 'Last e-mail sent',
    waiting: 'Waiting to be sent',
    failing: 'E-mails have been waiting since {time}. {fix}',
    testTo: 'Send a test to',
    test: 'Send test e-mail',
    tested: (address: string) => `Test e-mail sent to ${address}. Check its inbox.`,
    testRunning: 'A test is already running. Try again in a moment.',
    invalidTo: "The test wasn't sent. Enter an e-mail address such as you@shop.example.",
    noServer: 'There is no mail server. Set one up first.',
    aside: 'Not sent',
    asideLine: '{kind}, {time}: {fix}',
    ofPayment: 'Open the payment',
    kinds: {
      receipt: 'Receipt',
      invitation: 'Invitation',
      signInLink: 'Sign-in link',
      dispute: 'Dispute notice',
      endpoint: 'Endpoint notice',
    },
    set: 'Set up mail server',
    change: 'Change mail server',
    url: 'Server address with user and password',
    urlHelp:
      'Such as smtp://user:password@mail.example:587, or smtps:// for port 465. Percent-encode special characters in the password, such as %40 for @.',
    invalidUrl: (reason: string) => `The server address ${reason}.`,
    invalidFrom: 'The sender is invalid. Enter an e-mail address such as receipts@shop.example.',
    remove: 'Remove mail server',
    removeQuestion: 'Remove the mail server?',
    removeText: "No more e-mails will be sent, and waiting e-mails won't be sent. Payments aren't affected.",
  },

  // Methods and embedding
  methodsTitle: 'Payment methods',
  methodsLegend: 'Customers can pay with',
  notTaken: "Your payment provider doesn't support it.",
  noWallets: 'Ask your operator to set up Apple Pay and Google Pay.',
  noMethod: 'No payment method is selected. Select at least one.',
  embedding: 'Embedding',
  notEmbedded: 'Not on other websites',
  origins: 'Websites that can embed the checkout page, one per line',
  originsPlaceholder: 'https://shop.example',
  tooManyOrigins: (max: number) => `There are too many websites. Enter at most ${max}.`,
  invalidOrigin: (website: string) => `“${website}” isn't a website address such as https://shop.example.`,

  // Times
  timeZone: 'Time zone',
  timeZoneHelp: 'Times are shown, and days begin, in this zone.',
  unknownTimeZone: 'This time zone is unknown. Choose one from the list, such as America/Sao_Paulo.',

  // Custom mode and custom actions
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  customMode: 'Custom mode',
  customModeOn: 'Your own pages collect card details and send them to the card vault.',
  customModeOffQuestion: 'Turn off custom mode?',
  customModeOffText:
    "New custom payments will be rejected, and open ones can't take a card anymore. Payments on the hosted checkout page aren't affected.",
  pciTitle: 'PCI DSS applies to you',
  pciText:
    'In custom mode, card numbers pass through your own pages and systems. You are responsible for their PCI DSS compliance, usually with SAQ A-EP or SAQ D. With the hosted checkout page, SAQ A is enough.',
  /** The phrase that must be typed before custom mode is turned on. */
  customModePhrase: 'I handle card data',
  customModeConfirm: (phrase: string) => `Type “${phrase}” to turn on custom mode`,
  customModeNotConfirmed: (phrase: string) => `Custom mode wasn't turned on. Type “${phrase}” to confirm.`,
  turnOnCustomMode: 'Turn on custom mode',
  customActions: 'Custom actions',
  customActionsText:
    'Your backend takes customers through 3-D Secure and other steps, and confirms them with the API.',
  customActionsOffQuestion: 'Turn off custom actions?',
  customActionsOffText:
    'Your backend will no longer be able to confirm steps: its calls to {path} will get 404, and payments waiting for a step will expire.',

  // Branding
  branding: 'Branding',
  brandingText: 'Name, color and logo of your shop',
  openBranding: 'Design',
} as const;
