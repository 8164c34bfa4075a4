/** The version of Stripe's API that the dialect answers in: that of stripe-mock 0.203.0. */
export const API_VERSION = '2026-08-26.dahlia';
