/** The binding of a wrapped key: under another setting or id it does not unwrap. */
export interface KeyBinding {
  /** `ENCRYPTION_KEYS` or `LOOKUP_KEYS`. */
  setting: string;
  id: string;
}

/**
 * The service that wraps the keys of a setting, so that the setting alone reveals no key. Both methods make
 * one call, within `timeoutMs`, and throw `KeyEncryptionFault`. ADR 0076.
 */
export interface KeyEncryption {
  /** Returns the setting's text for the key. */
  wrap(key: Buffer, binding: KeyBinding): Promise<string>;
  /** Returns the bytes of a wrapped key. */
  unwrap(wrapped: string, binding: KeyBinding): Promise<Buffer>;
}

/** The settings of the key services, by name. */
export interface KeyEncryptionSettings {
  KEY_ENCRYPTION: 'local' | 'awsKms' | 'vaultTransit';
  AWS_KMS_KEY_ID?: string | undefined;
  AWS_KMS_REGION?: string | undefined;
  AWS_KMS_ENDPOINT?: string | undefined;
  TRANSIT_URL?: string | undefined;
  TRANSIT_MOUNT: string;
  TRANSIT_KEY_NAME?: string | undefined;
  TRANSIT_NAMESPACE?: string | undefined;
  TRANSIT_TOKEN?: string | undefined;
}

/**
 * A key was not wrapped or unwrapped. The message is the end of a sentence: the fault, a colon, and the fix.
 * It holds no key, no token and no text of the service.
 */
export class KeyEncryptionFault extends Error {
  /** Whether another try may succeed. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing: boolean) {
    super(message);
    this.name = 'KeyEncryptionFault';
    this.isPassing = isPassing;
  }
}
