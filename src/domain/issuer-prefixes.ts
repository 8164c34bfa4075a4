/**
 * Issuer prefixes (BINs, six digits) and the lengths of the numbers that begin with them. Sources: the ranges
 * that the schemes publish under ISO/IEC 7812, and the published test cards. Visa and Mastercard own a fifth
 * of all 16-digit numbers. Of them the list has only ranges of large issuers, because every further range
 * refuses more order references. docs/security.md, "Card numbers".
 */
const ranges: readonly { lengths: readonly number[]; prefixes: string }[] = [
  // Visa.
  {
    lengths: [13, 16, 19],
    prefixes: `
      400000-400999 401178-401179 402400-402499 403200-403299 406000-406099 407200-407299 410000-412999
      414000-415999 417500-417599 420700-420799 421700-421799 422200-422299 424200-427199 430500-432999
      434200-434299 435800-435899 437300-437399 438800-438999 440000-440999 443000-443099 444400-444499
      446500-446599 448500-448599 450600-451499 453200-453999 455600-457699 462200-462299 464000-464099
      465800-465999 471600-471699 473700-475199 476000-476199 479100-479199 480000-480299 481500-481599
      483300-483399 485500-485699 486200-486299 491600-492999 498400-498499`,
  },
  // Mastercard.
  {
    lengths: [16],
    prefixes: `
      222100-223099 272000-272099 510000-510999 512000-512999 515400-515699 516200-517999 518900-519099
      520000-520499 522200-522499 524300-524399 525300-525499 526200-526299 528900-529299 530100-530199
      531200-531399 533800-533999 535300-535699 540100-542999 545200-546999 549000-549199 551000-552499
      554600-555599`,
  },
  // American Express.
  { lengths: [15], prefixes: '340000-349999 370000-379999' },
  // Diners Club.
  { lengths: [14], prefixes: '300000-305999 309500-309599 360000-369999 380000-399999' },
  { lengths: [16], prefixes: '300000-300099 305600-305699 360000-360099 362200-362299' },
  // JCB.
  { lengths: [16, 17, 18, 19], prefixes: '352800-358999' },
  // Discover.
  { lengths: [16, 17, 18, 19], prefixes: '601100-601199 644000-659999' },
  // UnionPay.
  { lengths: [16, 17, 18, 19], prefixes: '620000-620099 621000-622999 624000-626999 628200-628899' },
  // Maestro.
  {
    lengths: [16, 18, 19],
    prefixes: '500000-500099 501800-501899 502000-502099 675900-676399 676700-676799',
  },
  // Elo and Hipercard.
  {
    lengths: [16, 19],
    prefixes: `
      504175-504175 506699-506778 509000-509999 606282-606282 627780-627780 636297-636297 636368-636368
      637095-637095 637568-637568 637599-637599 637609-637612`,
  },
  // RuPay, Verve, Mir and Troy.
  {
    lengths: [16, 17, 18, 19],
    prefixes: '506099-506198 507865-507964 508500-508999 606985-607984 220000-220499 979200-979289',
  },
];

const knownRanges = ranges.flatMap(({ lengths, prefixes }) =>
  prefixes
    .trim()
    .split(/\s+/)
    .map((range) => {
      const [from, to] = range.split('-').map(Number);
      return { from: from ?? 0, to: to ?? 0, lengths };
    }),
);

/** Returns whether a number begins with an issuer prefix of the list and has a length of its scheme. */
export function hasIssuerPrefix(digits: string): boolean {
  const prefix = Number(digits.slice(0, 6));
  return knownRanges.some(
    ({ from, to, lengths }) => prefix >= from && prefix <= to && lengths.includes(digits.length),
  );
}
