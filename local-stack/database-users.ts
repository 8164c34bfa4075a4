import { createHmac } from 'node:crypto';

/** How the processes of a stack log in to the embedded PostgreSQL. */
export interface DatabaseUsers {
  /** For the migrate command, which lets the roles log in. */
  passwords: { DATABASE_API_PASSWORD: string; DATABASE_WORKER_PASSWORD: string };
  /** Of the processes; the launcher and the operator command keep the owner's. */
  apiUrl: string;
  workerUrl: string;
}

/**
 * Returns users of their own for API and worker, with passwords that come from the owner's: a stack of before
 * has none in its files.
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
