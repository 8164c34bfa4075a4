import { branding } from './en/branding.ts';
import { common } from './en/common.ts';
import { developers } from './en/developers.ts';
import { disputes } from './en/disputes.ts';
import { home } from './en/home.ts';
import { labels } from './en/labels.ts';
import { paymentLinks } from './en/payment-links.ts';
import { pairings } from './en/pairings.ts';
import { payments } from './en/payments.ts';
import { refunds } from './en/refunds.ts';
import { reports } from './en/reports.ts';
import { requests } from './en/requests.ts';
import { search } from './en/search.ts';
import { settings } from './en/settings.ts';
import { signIn } from './en/sign-in.ts';
import { story } from './en/story.ts';
import { team } from './en/team.ts';
import { webhooks } from './en/webhooks.ts';

/**
 * Every text of the dashboard, by section. A function takes the values of its sentence; `{name}` stands for
 * markup that the page fills in with `withMarkup`.
 */
export const texts = {
  common,
  labels,
  home,
  payments,
  story,
  paymentLinks,
  refunds,
  disputes,
  webhooks,
  developers,
  pairings,
  reports,
  requests,
  search,
  settings,
  branding,
  team,
  signIn,
} as const;
