/**
 * The most bytes that a route reads of a body, by the kind of body. A longer body is refused with 400 before
 * it is held in memory. docs/security.md, "Floods".
 */
export const bodyLimits = {
  /** The longest of all other bodies is a card token of 4,096 characters, each of them two escapes. */
  usual: 64 * 1024,
  /** As `metadata`, plus 100 line items and a description whose characters are all escaped, in pairs. */
  creation: 320 * 1024,
  /** Valid metadata of 16,384 canonical bytes can be six times as long when every character is escaped. */
  metadata: 160 * 1024,
  /** 150,000 characters of evidence, each up to six bytes in JSON. */
  evidence: 1024 * 1024,
  /** A file of 2 MB with the other fields of its form. */
  file: 2 * 1024 * 1024 + 64 * 1024,
  /** A provider's event, which may carry a dispute's evidence. */
  providerEvent: 256 * 1024,
  /** Two logos in base64, and the other fields. */
  branding: 720 * 1024,
  /** Nothing, `{}`, or the few short fields of a form. */
  small: 8 * 1024,
} as const;
