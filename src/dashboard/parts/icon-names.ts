/**
 * The icons of the dashboard: each name of ours with the drawing's name in Lucide. The build reads these
 * drawings from the package `lucide-static` and fails for a name that Lucide does not have.
 */
export const iconNames = {
  home: 'house',
  payments: 'credit-card',
  refunds: 'undo-2',
  disputes: 'shield-alert',
  reports: 'chart-no-axes-column',
  webhooks: 'webhook',
  developers: 'code-xml',
  settings: 'settings',
  team: 'users',
  search: 'search',
  download: 'download',
  up: 'arrow-up',
  down: 'arrow-down',
  sort: 'chevrons-up-down',
  signOut: 'log-out',
  warning: 'triangle-alert',
  menu: 'menu',
  more: 'chevron-down',
  sandbox: 'flask-conical',
  dismiss: 'x',
  done: 'circle-check-big',
  open: 'circle',
  copy: 'copy',
} as const;

export type IconName = keyof typeof iconNames;
