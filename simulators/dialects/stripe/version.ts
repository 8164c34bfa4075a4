/** The version of Stripe's API whose shapes the dialect answers with: that of stripe-mock 0.203.0. */
export const API_VERSION = '2026-08-26.dahlia';
