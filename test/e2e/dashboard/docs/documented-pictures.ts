/** The pictures of docs/dashboard/, each of a page in a width and a scheme, by names of the pages' test. */
export const documentedPictures: readonly string[] = [
  ...[
    ...['home', 'search', 'payments', 'payment', 'payment-refund', 'payment-pending', 'payment-disputed'],
    ...['payment-links', 'refunds', 'disputes', 'dispute', 'reports', 'reports-method', 'reconciliation'],
    ...['webhooks', 'endpoint', 'event', 'developers', 'requests', 'settings', 'settings-connector'],
    ...['branding', 'team', 'password', 'confirm', 'sign-in'],
  ].map((page) => `${page}-desktop-light`),
  ...['home-phone-light', 'payments-phone-light', 'payment-phone-dark', 'payments-desktop-dark'],
];

/** Longer pages are cut at this height, in px. */
export const maxPictureHeight = 1_600;
