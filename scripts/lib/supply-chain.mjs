/** Licences under which production may use a package: each permits use, change and closed distribution. */
export const allowedLicences = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  // For data only (caniuse-lite), unchanged and with its author named.
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
];

/** Packages whose manifest names no licence, with the one that their repository holds. */
const known = { unionfs: 'Unlicense' };

/**
 * Returns the packages whose licence is not allowed, each with its licence. Of `A OR B` one must be allowed,
 * of `A AND B` both.
 * @param {Readonly<Record<string, readonly string[]>>} byLicence as licences.json has them
 * @returns {string[]}
 */
export function foreignLicences(byLicence) {
  return Object.entries(byLicence).flatMap(([licence, packages]) =>
    isAllowed(licence)
      ? []
      : packages
          .filter((name) => !(licence === 'not declared' && name.slice(0, name.lastIndexOf('@')) in known))
          .map((name) => `${name} (${licence})`),
  );
}

/** @param {string} licence */
function isAllowed(licence) {
  const alternatives = licence.replaceAll(/[()]/g, '').split(' OR ');
  return alternatives.some((one) =>
    one.split(' AND ').every((part) => allowedLicences.includes(part.trim())),
  );
}

/**
 * @typedef {object} Report What `npm audit --json` prints.
 * @property {{ vulnerabilities?: Record<string, number> }} [metadata]
 * @property {Record<string, { severity: string }>} [vulnerabilities]
 * @property {string} [message]
 * @property {{ summary?: string, code?: string }} [error]
 *
 * @typedef {{ asked: true, levels: Record<string, number>, packages: string[] }} Found
 * @typedef {Found | { asked: false, why: string }} Verdict
 */

/**
 * Returns what `npm audit --json` found: how many vulnerabilities of each level, or why the registry could
 * not be asked.
 * @param {string} output
 * @returns {Verdict}
 */
export function auditVerdict(output) {
  /** @type {Report} */
  let report;
  try {
    report = JSON.parse(output);
  } catch {
    return { asked: false, why: 'npm audit answered no JSON' };
  }
  const levels = report.metadata?.vulnerabilities;
  if (levels === undefined) {
    return {
      asked: false,
      why: report.error?.summary || report.message || report.error?.code || 'no verdict',
    };
  }
  const grave = Object.entries(report.vulnerabilities ?? {}).filter(([, { severity }]) =>
    ['high', 'critical'].includes(severity),
  );
  return { asked: true, levels, packages: grave.map(([name, { severity }]) => `${name} (${severity})`) };
}
