const unknownAuthority =
  'is not from a known authority: name the file of its authority by sslrootcert in the URL';

/** What is wrong with the connection to PostgreSQL, and the fix, by the code of the driver's error. */
const faults: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (ECONNREFUSED): start PostgreSQL, or correct host and port',
  ENOTFOUND: 'its host has no address (ENOTFOUND): correct the host',
  '28P01': 'PostgreSQL refused the password (28P01): correct user and password',
  '28000': 'PostgreSQL refused the user (28000): correct the user, or pg_hba.conf',
  '3D000': 'the database does not exist (3D000): create it, or correct its name',
  ERR_TLS_CERT_ALTNAME_INVALID: certificate(
    'is for another name: use a host that it names, or create one for this host',
  ),
  CERT_HAS_EXPIRED: certificate('has expired: renew it, or correct the clock of this machine'),
  CERT_NOT_YET_VALID: certificate('is not valid yet: correct the clock of this machine'),
  SELF_SIGNED_CERT_IN_CHAIN: certificate(unknownAuthority),
  DEPTH_ZERO_SELF_SIGNED_CERT: certificate(unknownAuthority),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: certificate(unknownAuthority),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: certificate(unknownAuthority),
};

function certificate(fault: string): string {
  return `the certificate of PostgreSQL ${fault} (docs/operations.md, "Several hosts")`;
}

/** Returns what is wrong with `DATABASE_URL`, in one line with the fix; undefined for other codes. */
export const databaseFault = (code: string): string | undefined =>
  Object.hasOwn(faults, code) ? `DATABASE_URL: ${faults[code]}` : undefined;
