import { developerRoutes } from './developers/handlers.ts';
import { disputeRoutes } from './disputes/handlers.ts';
import { homeRoutes } from './home/handlers.ts';
import { ownSignInRoutes } from './sign-in/own-sign-in.ts';
import { paymentRoutes } from './payments/handlers.ts';
import { refundRoutes } from './refunds/handlers.ts';
import { requestRoutes } from './requests/handlers.ts';
import type { DashboardRoute } from './route.ts';
import { settingsRoutes } from './settings/handlers.ts';
import { teamRoutes } from './team/handlers.ts';
import { webhookRoutes } from './webhooks/handlers.ts';

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
