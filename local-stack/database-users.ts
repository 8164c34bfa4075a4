import { createHmac } from 'node:crypto';

/** The credentials of the stack's processes at the embedded PostgreSQL. */
export interface DatabaseUsers {
  /** For the migrate command, which gives them to the roles. */
  passwords: { DATABASE_API_PASSWORD: string; DATABASE_WORKER_PASSWORD: string };
  /** Addresses for the API and worker processes; the launcher and the operator command use the owner's. */
  apiUrl: string;
  workerUrl: string;
}

/**
 * Returns separate users for API and worker. Their passwords are derived from the owner's, because the files
 * of earlier versions hold none.
 */
export function databaseUsers(ownerUrl: string, ownerPassword: string): DatabaseUsers {
  const passwordOf = (role: string): string =>
    createHmac('sha256', ownerPassword).update(role).digest('base64url');
  const urlOf = (role: string): string => {
    const url = new URL(ownerUrl);
    url.username = role;
    url.password = passwordOf(role);
    return url.toString();
  };
  return {
    passwords: {
      DATABASE_API_PASSWORD: passwordOf('card_payments_api'),
      DATABASE_WORKER_PASSWORD: passwordOf('card_payments_worker'),
    },
    apiUrl: urlOf('card_payments_api'),
    workerUrl: urlOf('card_payments_worker'),
  };
}
