import { developerRoutes } from './developers.ts';
import { disputeRoutes } from './disputes.ts';
import { homeRoutes } from './home.ts';
import { ownSignInRoutes } from './own-sign-in.ts';
import { paymentRoutes } from './payments.ts';
import { refundRoutes } from './refunds.ts';
import { requestRoutes } from './requests.ts';
import type { DashboardRoute } from './route.ts';
import { settingsRoutes } from './settings.ts';
import { teamRoutes } from './team.ts';
import { webhookRoutes } from './webhooks.ts';

/** Every page and action of whoever is signed in. */
export const dashboardRoutes: readonly DashboardRoute[] = [
  ...homeRoutes,
  ...paymentRoutes,
  ...refundRoutes,
  ...disputeRoutes,
  ...webhookRoutes,
  ...developerRoutes,
  ...requestRoutes,
  ...settingsRoutes,
  ...teamRoutes,
  ...ownSignInRoutes,
];
