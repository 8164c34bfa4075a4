import { type BrandingDeps, brandingRoutes } from './branding/handlers.ts';
import { type DevelopersDeps, developerRoutes } from './developers/handlers.ts';
import { type PairingDeps, pairingRoutes } from './developers/pairing-handlers.ts';
import { type DisputesDeps, disputeRoutes } from './disputes/handlers.ts';
import { type HomeDeps, homeRoutes } from './home/handlers.ts';
import { type OwnSignInDeps, ownSignInRoutes } from './sign-in/own-sign-in.ts';
import { type PaymentsDeps, paymentRoutes } from './payments/handlers.ts';
import { type PaymentLinksDeps, paymentLinkRoutes } from './payment-links/handlers.ts';
import { type RefundsDeps, refundRoutes } from './refunds/handlers.ts';
import { type ReportsDeps, reportRoutes } from './reports/handlers.ts';
import { type RequestDeps, requestRoutes } from './requests/handlers.ts';
import { searchRoutes } from './search/handlers.ts';
import { type SettingsDeps, settingsRoutes } from './settings/handlers.ts';
import { type TeamDeps, teamRoutes } from './team/handlers.ts';
import { type WebhooksDeps, webhookRoutes } from './webhooks/handlers.ts';
import type { DashboardRoute } from './route.ts';

export type RouteDeps = HomeDeps &
  PaymentsDeps &
  PaymentLinksDeps &
  RefundsDeps &
  DisputesDeps &
  ReportsDeps &
  WebhooksDeps &
  DevelopersDeps &
  PairingDeps &
  RequestDeps &
  SettingsDeps &
  BrandingDeps &
  TeamDeps &
  OwnSignInDeps;

/** Returns every page and action for signed-in members. */
export const dashboardRoutes = (deps: RouteDeps): readonly DashboardRoute[] => [
  ...homeRoutes(deps),
  ...paymentRoutes(deps),
  ...paymentLinkRoutes(deps),
  ...refundRoutes(deps),
  ...disputeRoutes(deps),
  ...reportRoutes(deps),
  ...webhookRoutes(deps),
  ...developerRoutes(deps),
  ...pairingRoutes(deps),
  ...requestRoutes(deps),
  ...searchRoutes(deps),
  ...settingsRoutes(deps),
  ...brandingRoutes(deps),
  ...teamRoutes(deps),
  ...ownSignInRoutes(deps),
];
